#include "commands/man_page.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>

#include "command.h"

namespace cursor_chat {
namespace {

// As text: what troff would take for a command or a dash of typography is escaped.
std::string Roff(std::string_view text) {
  std::string escaped = absl::StrReplaceAll(std::string(text), {{"\\", "\\e"}, {"-", "\\-"}});
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped = "\\&" + escaped;
  return escaped;
}

std::string OptionText(const OptionInfo& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + Roff(name) + "\\fR");
  std::string text = ".TP\n" + absl::StrJoin(names, ", ");
  if (!option.type.empty()) text += " \\fI" + Roff(option.type) + "\\fR";
  return text + "\n" + Roff(option.description) + "\n";
}

std::string CommandText(const CommandInfo& command) {
  std::string text;
  for (const CommandForm& form : command.forms) {
    text += (text.empty() ? ".TP\n" : ".TQ\n") + ("\\fB" + Roff(command.word) + "\\fR");
    if (!form.text().empty()) text += " " + Roff(form.text());
    text += "\n";
  }
  return text + Roff(command.summary) + "\n";
}

// Paragraphs as they are, indented lines as examples.
std::string FooterText(std::string_view footer) {
  std::string text;
  bool in_example = false;
  while (!footer.empty()) {
    const std::string_view line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(line.size() + 1, footer.size()));
    const bool is_example = line.starts_with("  ");
    if (is_example != in_example) text += is_example ? ".EX\n" : ".EE\n";
    in_example = is_example;
    if (line.empty()) {
      text += ".PP\n";
    } else {
      text += Roff(line) + "\n";
    }
  }
  return text + (in_example ? ".EE\n" : "");
}

}  // namespace

std::string ManPage(std::string_view version, std::string_view description,
                    const std::vector<OptionInfo>& options, std::string_view footer) {
  constexpr char kSynopsis[] = R"(
.SH SYNOPSIS
\fBcursor\-chat\fR [\fIOPTIONS\fR] [\fIPROMPT\fR|\-]...
.br
\fBcursor\-chat\fR [\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENT\fR]...
.SH OPTIONS
)";
  std::string page =
      absl::StrCat(R"(.TH CURSOR\-CHAT 1 "" "cursorwire )", std::string(version), "\"\n",
                   ".SH NAME\n", R"(cursor\-chat \- )", Roff(description), kSynopsis);
  for (const OptionInfo& option : options) page += OptionText(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo& command : ProgramCommands()) page += CommandText(command);
  return page + ".SH DESCRIPTION\n" + FooterText(footer);
}

}  // namespace cursor_chat
