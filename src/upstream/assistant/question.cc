#include "upstream/assistant/question.h"

#include <absl/strings/str_split.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/strings.h"

namespace cursorwire::upstream {
namespace {

constexpr std::string_view kQuotes = "\"'`.,;:!?()[]<>";

// Words without punctuation around them; punctuation within a word stays, as in "a/b.cc".
std::vector<std::string> Words(std::string_view prompt) {
  std::vector<std::string> words;
  for (const absl::string_view piece :
       absl::StrSplit(ToAbsl(prompt), absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
    std::string_view word = ToStd(piece);
    const size_t first = word.find_first_not_of(kQuotes);
    if (first == std::string_view::npos) continue;
    // Leading dots belong to names such as ".gitignore" or "../notes".
    size_t start = first;
    while (start > 0 && word[start - 1] == '.') --start;
    words.emplace_back(word.substr(start, word.find_last_not_of(kQuotes) + 1 - start));
  }
  return words;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), ToLower(word)) != list.end();
}

bool HasOneOf(const std::vector<std::string>& words, std::initializer_list<std::string_view> list) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return IsOneOf(word, list); });
}

// For "where is X defined" or "where are the X declared": the word before the last of these.
std::string Symbol(const std::vector<std::string>& words) {
  if (!HasOneOf(words, {"where"})) return "";
  for (size_t i = 1; i < words.size(); ++i) {
    if (IsOneOf(words[i], {"defined", "declared", "implemented", "used"})) return words[i - 1];
  }
  if (words.size() == 3 && IsOneOf(words[0], {"where"}) && IsOneOf(words[1], {"is", "are"})) {
    return words[2];
  }
  return "";
}

// A name with an extension or a folder, such as "README.md" or "src/main".
std::string FileName(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const size_t dot = word.rfind('.');
    const bool extension = dot != std::string::npos && dot + 1 < word.size();
    if (extension || word.find('/') != std::string::npos) return word;
  }
  return "";
}

}  // namespace

Question ParseQuestion(std::string_view prompt) {
  using Kind = Question::Kind;
  const std::vector<std::string> words = Words(prompt);
  if (std::string symbol = Symbol(words); !symbol.empty()) {
    return {.kind = Kind::kSymbol, .subject = std::move(symbol)};
  }
  const bool asks = HasOneOf(words, {"what", "what's", "which", "list", "show", "read", "print",
                                     "open", "look", "summarize", "explain"});
  if (!asks) return {};
  if (std::string file = FileName(words); !file.empty()) {
    return {.kind = Kind::kFile, .subject = std::move(file)};
  }
  if (HasOneOf(words, {"folder", "directory", "files", "workspace", "repository", "project"})) {
    return {.kind = Kind::kFolder};
  }
  if (HasOneOf(words, {"i", "we", "you"}) &&
      HasOneOf(words, {"before", "first", "earlier", "previously", "last"})) {
    return {.kind = Kind::kMemory};
  }
  return {};
}

}  // namespace cursorwire::upstream
