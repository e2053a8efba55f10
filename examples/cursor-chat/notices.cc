#include "notices.h"

#include <cursorwire/connect/code.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "terminal.h"
#include "visible_text.h"

namespace cursor_chat {
namespace {

// Enough for the widest line of a terminal.
constexpr size_t kMaxShownArgumentBytes = 2048;

// A line that does not tear what is on the terminal.
void PrintBeside(Output& output, const std::string& line) {
  const bool on_terminal = ::isatty(STDERR_FILENO) != 0;
  const Terminal::Hold hold = on_terminal ? output.StartLine() : Terminal::Hold();
  std::cerr << line << "\n" << std::flush;
}

}  // namespace

void PrintError(const absl::Status& status) {
  std::cerr << "cursor-chat: error: " << CodeOf(status) << ": " << OneLine(MessageOf(status))
            << "\n";
}

void PrintWarning(const absl::Status& status) {
  PrintWarning(CodeOf(status) + ": " + MessageOf(status));
}

void PrintWarning(const std::string& text) {
  std::cerr << "cursor-chat: warning: " << OneLine(text) << "\n";
}

void PrintWarning(Output& output, const std::string& text) {
  PrintBeside(output, "cursor-chat: warning: " + OneLine(text));
}

void PrintNotice(Output& output, const std::string& text) {
  PrintBeside(output, "cursor-chat: notice: " + OneLine(text));
}

void PrintToolLine(Output& output, const cursorwire::ToolCallInfo& call) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::string name = call.name.empty() ? call.kind : call.name;
  if (name.empty()) name = "one that is not known";
  const std::string arguments = call.arguments_json.substr(0, kMaxShownArgumentBytes);
  const std::string line = ExactLine("cursor-chat: tool: " + name + " " + arguments);
  const std::vector<std::string> pieces =
      WrapLine(line, std::max<size_t>(ColumnsOf(STDERR_FILENO), 8) - 4);
  // Dim: it is no part of the answer.
  PrintBeside(output, "\033[2m" + pieces[0] + (pieces.size() > 1 ? "..." : "") + "\033[0m");
}

std::string CodeOf(const absl::Status& status) {
  return std::string(cursorwire::connect::CodeText(status.code()));
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return ::isatty(STDERR_FILENO) != 0 ? VisibleText(text) : text;
}

}  // namespace cursor_chat
