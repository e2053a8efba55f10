#include "upstream/assistant/definition.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace cursorwire::upstream {
namespace {

bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// A regular expression for `text` where it is not part of a longer word. If `text` begins or ends
// with another character, as in "C++", that end has no word boundary to ask for.
std::string WholeWord(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return absl::StrCat(IsWordCharacter(text.front()) ? "\\b" : "", pattern,
                      IsWordCharacter(text.back()) ? "\\b" : "");
}

// "Bar" of "Foo::Bar".
std::string_view LastPart(std::string_view symbol) {
  const size_t at = symbol.find_last_of(":.");
  return at == std::string_view::npos || at + 1 == symbol.size() ? symbol : symbol.substr(at + 1);
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string_view LastWord(std::string_view text) {
  text = Trimmed(text);
  size_t start = text.size();
  while (start > 0 && IsWordCharacter(text[start - 1])) --start;
  return text.substr(start);
}

// A macro such as FOO_EXPORT, which may stand between "class" and a name.
bool IsMacro(std::string_view word) {
  return word.size() > 1 &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

template <size_t kCount>
bool IsOneOf(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 15> kTypeWords = {
    "class", "struct",  "enum",   "union",   "interface", "trait", "typedef", "namespace",
    "type",  "message", "module", "service", "object",    "impl",  "protocol"};
constexpr std::array<std::string_view, 6> kFunctionWords = {"def",      "func",   "fn",
                                                            "function", "define", "macro"};
constexpr std::array<std::string_view, 8> kValueWords = {"using", "const", "constexpr", "let",
                                                         "var",   "val",   "static",    "auto"};
constexpr std::array<std::string_view, 12> kUseWords = {
    "return", "new", "else", "case", "throw", "delete", "await", "not", "and", "or", "in", "if"};

// `before` and `after` are the text around the name.
int ScoreOfFunction(std::string_view before, std::string_view after) {
  before = Trimmed(before);
  const bool has_type =
      !before.empty() && (IsWordCharacter(before.back()) ||
                          std::string_view(">*&").find(before.back()) != std::string_view::npos);
  const bool in_expression = before.find_first_of("=(\"'.!") != std::string_view::npos;
  if (!has_type || in_expression || IsOneOf(LastWord(before), kUseWords)) return 0;
  return after.ends_with(';') ? 3 : 4;
}

bool HasValueWord(std::string_view text) {
  const std::string padded = absl::StrCat(" ", ToAbsl(text), " ");
  return std::any_of(kValueWords.begin(), kValueWords.end(), [&](std::string_view word) {
    return padded.find(absl::StrCat(" ", ToAbsl(word), " ")) != std::string::npos;
  });
}

int ScoreAt(std::string_view line, size_t at, std::string_view name) {
  const std::string_view before = line.substr(0, at);
  const std::string_view after = Trimmed(line.substr(at + name.size()));
  const bool apart = before.empty() || before.back() == ' ' || before.back() == '\t';
  if (line.starts_with("friend ")) return 1;
  std::string_view word = LastWord(before);
  if (apart && IsMacro(word)) word = LastWord(Trimmed(before.substr(0, before.rfind(word))));
  if (apart && IsOneOf(word, kTypeWords)) return after.starts_with(';') ? 2 : 5;
  if (apart && IsOneOf(word, kFunctionWords)) return 5;
  if (after.starts_with('(')) {
    // A qualifier such as "Foo::" is part of the name.
    size_t start = at;
    while (start > 0 && (IsWordCharacter(line[start - 1]) || line[start - 1] == ':')) --start;
    return ScoreOfFunction(line.substr(0, start), after);
  }
  const bool given_value =
      after.starts_with('=') || after.starts_with('{') || after.starts_with('[');
  return given_value && !after.starts_with("==") && HasValueWord(before) ? 4 : 0;
}

bool IsProse(std::string_view path) { return path.ends_with(".md") || path.ends_with(".txt"); }

}  // namespace

std::string DefinitionPattern(const std::string& symbol) {
  const std::string name = WholeWord(LastPart(symbol));
  return absl::StrCat(
      "\\b(class|struct|enum|union|interface|trait|typedef|namespace|type|message|module|service|"
      "object|impl|protocol|def|func|fn|function|define|macro)\\s+(\\w+\\s+)?",
      name, "|\\b(using|const|constexpr|let|var|val|static|auto)\\b[^=;()]*", name,
      R"(|[\w>&*]\s+[&*]*(\w+::)*)", name, "\\s*\\(");
}

std::string MentionPattern(const std::string& symbol) { return WholeWord(symbol); }

int DefinitionScore(std::string_view path, std::string_view line, const std::string& symbol) {
  line = Trimmed(line);
  const bool comment = line.starts_with("//") || line.starts_with("*") || line.starts_with("/*") ||
                       (line.starts_with("#") && !line.starts_with("#define"));
  if (comment) return 0;
  const std::string_view name = LastPart(symbol);
  int score = 0;
  for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool whole = (at == 0 || !IsWordCharacter(line[at - 1])) &&
                       (end == line.size() || !IsWordCharacter(line[end]));
    if (whole) score = std::max(score, ScoreAt(line, at, name));
  }
  // Prefer "Bar::Foo(" to any other "Foo(".
  if (score > 0 && symbol != name && line.find(symbol) != std::string_view::npos) score += 2;
  return IsProse(path) ? std::min(score, 1) : score;
}

}  // namespace cursorwire::upstream
