#include "commands/command_help.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <string_view>

namespace cursor_chat {
namespace {

using cursor_apps::OptionInfo;

constexpr size_t kCommandColumn = 28;  // that of the descriptions of options in --help
constexpr size_t kLineWidth = 80;

// A row of a table: the name, then the description in lines of its own column.
std::string HelpRow(std::string name, std::string_view description) {
  name = "  " + name;
  std::string text;
  const auto begin_line = [&text, &name] {
    text += name;
    text.append(kCommandColumn - std::min(name.size(), kCommandColumn - 1), ' ');
    name.clear();
  };
  if (name.size() >= kCommandColumn) {
    text = name + "\n";
    name.clear();
  }
  begin_line();
  size_t width = kCommandColumn;
  for (const auto word : absl::StrSplit(std::string(description), ' ', absl::SkipEmpty())) {
    if (width > kCommandColumn && width + 1 + word.size() > kLineWidth) {
      text += "\n";
      begin_line();
      width = kCommandColumn;
    }
    if (width > kCommandColumn) text += " ";
    width += word.size() + (width > kCommandColumn ? 1 : 0);
    absl::StrAppend(&text, word);
  }
  return text + "\n";
}

// Whether the option has one of these names, which have spaces between them.
bool IsOneOf(const OptionInfo& option, std::string_view names) {
  const std::vector<std::string> wanted =
      absl::StrSplit(std::string(names), ' ', absl::SkipEmpty());
  return std::any_of(option.names.begin(), option.names.end(), [&wanted](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  });
}

std::string OptionRow(const OptionInfo& option) {
  const std::string type = option.type.empty() ? "" : " " + option.type;
  return HelpRow(absl::StrJoin(option.names, ",") + type, option.description);
}

// The word, then the forms: "mcp list FILE | test FILE".
std::string FormsOf(const CommandInfo& command) {
  std::vector<std::string> forms;
  for (const CommandForm& form : command.forms) {
    if (!form.text().empty()) forms.push_back(form.text());
  }
  return absl::StrCat(std::string(command.word), forms.empty() ? "" : " ",
                      absl::StrJoin(forms, " | "));
}

}  // namespace

std::string CommandList() {
  std::string text =
      "Commands, as the first word (\"cursor-chat help COMMAND\" says more of one):\n";
  for (const CommandInfo& command : ProgramCommands()) {
    text += HelpRow(FormsOf(command), command.summary);
  }
  return text +
         "A prompt that begins with one of these words goes after -- or the word ask. A\n"
         "prompt that is one argument of several words needs neither:\n"
         "  cursor-chat ask models of the world\n"
         "  cursor-chat \"models of the world\"\n";
}

std::string HelpOf(const CommandInfo& command, const std::vector<OptionInfo>& options) {
  const std::string word(command.word);
  std::string text = "cursor-chat " + word + ": " + std::string(command.summary) + "\n\nUsage:\n";
  for (const CommandForm& form : command.forms) {
    const std::string rest = form.text();
    text += "  cursor-chat [OPTIONS] " + word + (rest.empty() ? "" : " " + rest) + "\n";
  }
  if (!command.details.empty()) text += "\n" + std::string(command.details);
  std::string rows;
  for (const OptionInfo& option : options) {
    if (IsOneOf(option, command.options)) rows += OptionRow(option);
  }
  if (!rows.empty()) text += "\nOptions that matter to it:\n" + rows;
  return text + "\nAll options and commands: cursor-chat --help\n";
}

}  // namespace cursor_chat
