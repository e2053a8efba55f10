#include "commands/man_page.h"

#include "command.h"
#include "common/man_text.h"

namespace cursor_chat {
namespace {

std::string CommandText(const CommandInfo& command) {
  std::string text;
  for (const CommandForm& form : command.forms) {
    text += (text.empty() ? ".TP\n" : ".TQ\n") + cursor_apps::RoffBold(command.word);
    if (!form.text().empty()) text += " " + cursor_apps::Roff(form.text());
    text += "\n";
  }
  return text + cursor_apps::Roff(command.summary) + "\n";
}

}  // namespace

std::string ManPage(std::string_view version, std::string_view description,
                    const std::vector<cursor_apps::OptionInfo>& options, std::string_view footer) {
  constexpr char kSynopsis[] = R"(.SH SYNOPSIS
\fBcursor\-chat\fR [\fIOPTIONS\fR] [\fIPROMPT\fR|\-]...
.br
\fBcursor\-chat\fR [\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENT\fR]...
.SH OPTIONS
)";
  std::string page = cursor_apps::RoffTitle("cursor-chat", version, description) + kSynopsis;
  for (const cursor_apps::OptionInfo& option : options) page += cursor_apps::RoffOption(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo& command : ProgramCommands()) page += CommandText(command);
  return page + ".SH DESCRIPTION\n" + cursor_apps::RoffParagraphs(footer);
}

}  // namespace cursor_chat
