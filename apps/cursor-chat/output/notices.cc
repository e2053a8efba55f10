#include "output/notices.h"

#include <cursorwire/connect/error_info.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "common/visible_text.h"
#include "output/answer_marks.h"
#include "output/terminal.h"

namespace cursor_chat {
namespace {

// Enough for the widest line of a terminal.
constexpr size_t kMaxShownArgumentBytes = 2048;

// Prints a line without breaking what is on the terminal.
void PrintBeside(Output& output, const std::string& line) {
  const bool on_terminal = ::isatty(STDERR_FILENO) != 0;
  const Terminal::Hold hold = on_terminal ? output.StartLine() : Terminal::Hold();
  output.WriteError(line + "\n");
}

void PrintText(Output& output, const char* kind, const std::string& text) {
  PrintBeside(output,
              "cursor-chat: " + std::string(kind) + ": " + OneLine(output.redactor().Redact(text)));
}

}  // namespace

void PrintError(Output& output, const absl::Status& status) {
  PrintText(output, "error", CodeOf(status) + ": " + MessageOf(status));
}

void PrintWarning(Output& output, const absl::Status& status) {
  PrintWarning(output, CodeOf(status) + ": " + MessageOf(status));
}

void PrintWarning(Output& output, const std::string& text) { PrintText(output, "warning", text); }

void PrintRetry(Output& output, const cursorwire::Retrying& retrying) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const std::string milliseconds = std::to_string(retrying.delay.count());
  PrintText(output, "retry",
            std::to_string(retrying.retry) + " of " + std::to_string(retrying.max_retries) +
                " in " + milliseconds + " ms, after " + CodeOf(retrying.reason) + ": " +
                MessageOf(retrying.reason));
}

void PrintNotice(Output& output, const std::string& text) {
  if (::isatty(STDERR_FILENO) == 0) return PrintText(output, "notice", text);
  // Spaces could move any word of the line to the start of a screen line.
  AnswerMarks marks("(notice) ");
  const std::string marked = marks.Add(OneLine(text));
  PrintText(output, "notice", marked + marks.Rest());
}

void PrintToolLine(Output& output, const cursorwire::ToolCallInfo& call) {
  std::string name = call.name.empty() ? call.kind : call.name;
  if (name.empty()) name = "one that is not known";
  PrintToolLine(output, name + " " + call.arguments_json.substr(0, kMaxShownArgumentBytes));
}

void PrintToolLine(Output& output, const std::string& call) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const std::string line =
      cursor_apps::ExactLine(output.redactor().Redact("cursor-chat: tool: " + call));
  const std::vector<std::string> pieces =
      cursor_apps::WrapLine(line, std::max<size_t>(SizeOf(STDERR_FILENO).columns, 8) - 4);
  // Dim, since it is not part of the answer.
  PrintBeside(output, "\033[2m" + pieces[0] + (pieces.size() > 1 ? "..." : "") + "\033[0m");
}

std::string CodeOf(const absl::Status& status) {
  return std::string(cursorwire::connect::CodeText(status.code()));
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

std::string OneLine(std::string text) {
  text = cursorwire::OneLine(text);
  return ::isatty(STDERR_FILENO) != 0 ? cursor_apps::VisibleText(text) : text;
}

}  // namespace cursor_chat
