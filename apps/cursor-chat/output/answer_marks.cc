#include "output/answer_marks.h"

#include <cstddef>
#include <utility>

namespace cursor_chat {
namespace {

constexpr size_t kMaxKeptBytes = 64;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Not ASCII, or a sign of Markdown, which a session does not show.
bool MayBeInvisible(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 ||
         std::string_view("*_`~\\").find(c) != std::string_view::npos;
}

// How many letters of kOwnWords the text ends with after `c`, if it ended with `matched` letters
// before. The last letter of "cursor-c" may also begin the words anew.
size_t MatchedWith(size_t matched, char c) {
  constexpr std::string_view kBegunTwice = "cursor-c";
  if (Lower(c) == kOwnWords[matched]) return matched + 1;
  if (matched == kBegunTwice.size() && Lower(c) == kOwnWords[1]) return 2;
  return Lower(c) == kOwnWords[0] ? 1 : 0;
}

// Where the last `letters` visible characters begin. If there are fewer, where the first one
// begins: the others were already shown.
size_t StartOf(std::string_view text, size_t letters) {
  size_t start = text.size();
  for (size_t i = text.size(); i > 0 && letters > 0; --i) {
    if (MayBeInvisible(text[i - 1])) continue;
    start = i - 1;
    --letters;
  }
  return start;
}

}  // namespace

std::string AnswerMarks::Add(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    kept_ += c;
    if (!MayBeInvisible(c)) matched_ = MatchedWith(matched_, c);
    if (matched_ == kOwnWords.size()) {
      shown.append(mark_).append(Rest());
      continue;
    }
    const size_t done = kept_.size() > kMaxKeptBytes ? kept_.size() : StartOf(kept_, matched_);
    shown.append(kept_, 0, done);
    kept_.erase(0, done);
  }
  return shown;
}

std::string AnswerMarks::Rest() {
  matched_ = 0;
  return std::exchange(kept_, {});
}

}  // namespace cursor_chat
