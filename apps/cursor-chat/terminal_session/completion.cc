#include "terminal_session/completion.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/visible_text.h"
#include "terminal_session/command_table.h"

namespace cursor_chat {
namespace {

namespace fs = std::filesystem;

void KeepThoseThatStartWith(std::string_view start, std::vector<std::string>& words) {
  std::erase_if(words, [start](const std::string& word) { return !word.starts_with(start); });
  std::sort(words.begin(), words.end());
}

std::vector<std::string> SessionCommandWords() {
  std::vector<std::string> words;
  for (const SlashCommand& command : Commands()) words.push_back("/" + std::string(command.name));
  return words;
}

std::vector<std::string> WordsFor(const SlashCommand& command, std::string_view start,
                                  const CompletionSources& sources) {
  switch (command.completes) {
    case Completes::kNothing:
      return {};
    case Completes::kModels:
      return sources.models ? sources.models() : std::vector<std::string>();
    case Completes::kEfforts:
      return sources.efforts ? sources.efforts() : std::vector<std::string>();
    case Completes::kModes:
      return {"agent", "ask", "debug", "plan"};
    case Completes::kFiles:
      return sources.files ? sources.files(start) : std::vector<std::string>();
  }
  return {};
}

Completion CompleteArgument(std::string_view before, size_t space,
                            const CompletionSources& sources) {
  const SlashCommand* command = FindCommand(before.substr(1, space - 1));
  const size_t start = before.find_first_not_of(' ', space);
  if (command == nullptr) return {};
  Completion completion{.start = start == before.npos ? before.size() : start};
  const std::string_view word = before.substr(completion.start);
  completion.words = WordsFor(*command, word, sources);
  completion.is_cut =
      command->completes == Completes::kFiles && completion.words.size() >= kMaxCompletions;
  KeepThoseThatStartWith(word, completion.words);
  return completion;
}

constexpr std::string_view kWordEnds = " \n\t";
constexpr std::string_view kOpenQuote = "@\"";

std::string WithEscapedSpaces(std::string_view path) {
  return absl::StrReplaceAll({path.data(), path.size()}, {{" ", "\\ "}});
}

// Where the last word begins, in which a space may have a backslash before it.
size_t LastWord(std::string_view text) {
  size_t end = text.size();
  for (;;) {
    const size_t space = text.substr(0, end).find_last_of(kWordEnds);
    if (space == text.npos) return 0;
    if (text[space] != ' ' || space == 0 || text[space - 1] != '\\') return space + 1;
    end = space;
  }
}

// In quotes that are open: they are closed after a file.
Completion CompleteInQuotes(std::string_view before, size_t start,
                            const CompletionSources& sources) {
  const std::string_view path = before.substr(start);
  Completion completion{.start = start, .words = sources.attachable(path)};
  completion.is_cut = completion.words.size() >= kMaxCompletions;
  KeepThoseThatStartWith(path, completion.words);
  for (std::string& word : completion.words) {
    if (!word.ends_with('/')) word += '"';
  }
  return completion;
}

Completion CompleteAttachment(std::string_view before, const CompletionSources& sources) {
  if (!sources.attachable) return {};
  const size_t quote = before.rfind(kOpenQuote);
  if (quote != before.npos && LastWord(before.substr(0, quote)) == quote &&
      before.find('"', quote + kOpenQuote.size()) == before.npos) {
    return CompleteInQuotes(before, quote + kOpenQuote.size(), sources);
  }
  const size_t start = LastWord(before);
  const std::string_view word = before.substr(start);
  if (!word.starts_with('@')) return {};
  const std::string path = absl::StrReplaceAll({word.data() + 1, word.size() - 1}, {{"\\ ", " "}});
  Completion completion{.start = start + 1, .words = sources.attachable(path)};
  completion.is_cut = completion.words.size() >= kMaxCompletions;
  for (std::string& found : completion.words) found = WithEscapedSpaces(found);
  KeepThoseThatStartWith(word.substr(1), completion.words);
  return completion;
}

std::string JoinedRow(const std::vector<std::string>& words, size_t row, size_t rows,
                      size_t width) {
  std::string line;
  for (size_t i = row; i < words.size(); i += rows) {
    if (i != row) line.resize(std::max(line.size(), (i / rows) * width), ' ');
    line += words[i];
  }
  return line + "\n";
}

}  // namespace

Completion Complete(std::string_view before, const CompletionSources& sources) {
  if (before.starts_with('/')) {
    const size_t space = before.find(' ');
    if (space != before.npos) return CompleteArgument(before, space, sources);
    Completion completion{.words = SessionCommandWords()};
    KeepThoseThatStartWith(before, completion.words);
    return completion;
  }
  return CompleteAttachment(before, sources);
}

std::string CommonStart(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, unused] =
        std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(end, common.end());
  }
  cursor_apps::CutToWholeCharacters(common);
  return common;
}

std::vector<std::string> CompletePath(const std::string& folder, std::string_view start) {
  const size_t slash = start.rfind('/');
  const std::string_view above = slash == start.npos ? "" : start.substr(0, slash + 1);
  const std::string_view name = start.substr(above.size());
  const fs::path place = above.starts_with('/') ? fs::path(above) : fs::path(folder) / above;
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(place, error);
       !error && entry != fs::directory_iterator() && found.size() < kMaxCompletions;
       entry.increment(error)) {
    std::string word = entry->path().filename().string();
    if (!word.starts_with(name) || (word.starts_with('.') && !name.starts_with('.'))) continue;
    if (std::any_of(word.begin(), word.end(), absl::ascii_iscntrl)) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) word += '/';
    found.push_back(std::string(above) + word);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string InColumns(const Completion& completion, size_t columns) {
  std::vector<std::string> shown;
  size_t width = 0;
  for (const std::string& word : completion.words) {
    shown.push_back(cursor_apps::ExactLine(word));
    width = std::max(width, shown.back().size() + 2);
  }
  const size_t per_row = std::max<size_t>(1, width == 0 ? 1 : columns / width);
  const size_t left_out = shown.size() - std::min(shown.size(), per_row * kMaxCompletionLines);
  shown.resize(shown.size() - left_out);
  const size_t rows = (shown.size() + per_row - 1) / per_row;
  std::string text;
  for (size_t row = 0; row < rows; ++row) text += JoinedRow(shown, row, rows, width);
  if (left_out > 0 || completion.is_cut) {
    text += "... and " + std::string(completion.is_cut ? "at least " : "") +
            std::to_string(left_out) + " more\n";
  }
  return text;
}

}  // namespace cursor_chat
