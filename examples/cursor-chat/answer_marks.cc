#include "answer_marks.h"

#include <cstddef>
#include <utility>

namespace cursor_chat {
namespace {

constexpr std::string_view kWords = "cursor-chat:";
constexpr std::string_view kMark = "(answer) ";
constexpr size_t kMaxKeptBytes = 64;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsAscii(char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; }

// How many of kWords's letters the text has, which may have other bytes than ASCII behind the
// first; 0 if it is not their beginning.
size_t Matched(std::string_view text) {
  size_t matched = 0;
  for (const char c : text) {
    if (Lower(c) == kWords[matched]) {
      if (++matched == kWords.size()) return matched;
    } else if (IsAscii(c) || matched == 0) {
      return 0;
    }
  }
  return matched;
}

}  // namespace

std::string AnswerMarks::Add(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    kept_ += c;
    while (!kept_.empty() && (Matched(kept_) == 0 || kept_.size() > kMaxKeptBytes)) {
      shown += kept_.front();
      kept_.erase(0, 1);
    }
    if (Matched(kept_) == kWords.size()) shown.append(kMark).append(Rest());
  }
  return shown;
}

std::string AnswerMarks::Rest() { return std::exchange(kept_, {}); }

}  // namespace cursor_chat
