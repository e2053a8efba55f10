#include "documents/info_string.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "documents/file_language.h"

namespace cursorwire::documents {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// What people type, or programs print, and no code of a project.
constexpr std::string_view kExampleLanguages[] = {
    "",           "bash", "console", "log",      "output", "plain", "plaintext",
    "powershell", "sh",   "shell",   "terminal", "text",   "txt",   "zsh"};
constexpr std::string_view kPatchLanguages[] = {"diff", "patch"};

std::string_view TrimBlanks(std::string_view text) {
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return "";
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// "12:14:path", whatever the numbers are.
struct Reference {
  std::string_view start;
  std::string_view end;
  std::string_view path;
};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Reference> SplitReference(std::string_view info) {
  const size_t first = info.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = info.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const Reference parts = {info.substr(0, first), info.substr(first + 1, second - first - 1),
                           TrimBlanks(info.substr(second + 1))};
  if (!IsNumber(parts.start) || !IsNumber(parts.end) || parts.path.empty()) return std::nullopt;
  return parts;
}

// nullopt: not a line of a file.
std::optional<int32_t> ReadLine(std::string_view digits) {
  int32_t line = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || line < 1) return std::nullopt;
  return line;
}

// The tag is the first word, up to what some writers put after it: "rust,ignore", "python{1,3}",
// "cpp:src/main.cc".
// Also in braces: "{.python .numberLines}", "{r, echo=FALSE}". Numbers are no language.
std::string_view Tag(std::string_view info) {
  if (info.starts_with('{')) info.remove_prefix(info.starts_with("{.") ? 2 : 1);
  const std::string_view tag = info.substr(0, info.find_first_of(" \t,:{}"));
  return IsNumber(tag) ? "" : tag;
}

// "src/main.py", "main.py", "Makefile" in a folder: what is a file by its name or by its extension.
// A word such as "c++" or "text/html" is none.
bool IsFile(std::string_view word) {
  const size_t slash = word.find_last_of("/\\");
  const bool in_folder = slash != std::string_view::npos;
  const std::string_view name = in_folder ? word.substr(slash + 1) : word;
  const size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos) return in_folder && !LanguageOfFile(name).empty();
  return dot + 1 < name.size() && (in_folder || !LanguageOfFile(name).empty());
}

// The file that a fence names: in place of the tag, or after it, "python:src/main.py". What else
// stands after it, such as ":10-20" or "#L10", does not count. Empty: it names none.
std::string_view FileOf(std::string_view info) {
  constexpr std::string_view kEnds = " \t,:{}#";
  const bool has_drive = info.size() > 2 && info[1] == ':' && (info[2] == '\\' || info[2] == '/');
  const std::string_view first = info.substr(0, info.find_first_of(kEnds, has_drive ? 2 : 0));
  if (IsFile(first)) return first;
  if (info.substr(first.size()).substr(0, 1) != ":") return "";
  std::string_view second = info.substr(first.size() + 1);
  second = second.substr(0, second.find_first_of(kEnds));
  return IsFile(second) ? second : "";
}

CodePurpose PurposeOf(std::string_view language, bool is_file, AgentMode mode) {
  const auto is_in = [language](const auto& words) {
    return std::find(std::begin(words), std::end(words), language) != std::end(words);
  };
  if (!is_file && is_in(kExampleLanguages)) return CodePurpose::kExample;
  const bool changes_nothing = mode == AgentMode::kAsk || mode == AgentMode::kPlan;
  if (changes_nothing || is_in(kPatchLanguages)) return CodePurpose::kSuggestion;
  return CodePurpose::kNewCode;
}

CodeBlockMetadata ReadCodeBlock(std::string_view info, AgentMode mode) {
  const std::string_view file = FileOf(info);
  std::string language(Tag(info));
  if (!file.empty() && file.data() == info.data()) language = LanguageOfFile(file);
  const CodePurpose purpose = PurposeOf(language, !file.empty(), mode);
  return {.language = std::move(language), .purpose = purpose, .file_path = std::string(file)};
}

}  // namespace

DocumentMetadata ReadInfoString(std::string_view info, AgentMode mode) {
  info = TrimBlanks(info);
  const std::optional<Reference> reference = SplitReference(info);
  if (!reference) return ReadCodeBlock(info, mode);
  const std::string path(reference->path);
  const std::optional<int32_t> start = ReadLine(reference->start);
  const std::optional<int32_t> end = ReadLine(reference->end);
  if (start && end && *start <= *end) {
    return CodeReferenceMetadata{.file_path = path,
                                 .start_line = *start,
                                 .end_line = *end,
                                 .language = LanguageOfFile(path)};
  }
  // The numbers are nonsense, but the name of the file tells the language.
  const std::string language = LanguageOfFile(path);
  return CodeBlockMetadata{
      .language = language, .purpose = PurposeOf(language, true, mode), .file_path = path};
}

}  // namespace cursorwire::documents
