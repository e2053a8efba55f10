#include "output.h"

#include <cursorwire/connect/error_info.h>
#include <unistd.h>

#include <iostream>

#include "base/strings.h"
#include "base/text.h"
#include "common/exit_code.h"
#include "common/json_line.h"

namespace cursor_collab {
namespace {

std::string MessageOf(const absl::Status& status) {
  return cursorwire::OneLine(cursorwire::ToStd(status.message()));
}
std::string CodeOf(const absl::Status& status) {
  return std::string(cursorwire::connect::CodeText(status.code()));
}

}  // namespace

Output::Output(const std::stop_token& stop) : stream_(STDOUT_FILENO), limit_(stop) {}

void Output::Line(std::string line) {
  if (gone_) return;
  line += '\n';
  if (stream_.Write(line, limit_) != 0) gone_ = true;
}

void Output::Line(const ordered_json& value) { Line(cursor_apps::JsonLine(value)); }

void Output::ErrorLine(const absl::Status& status) {
  Line(ordered_json{{"type", "error"}, {"code", CodeOf(status)}, {"message", MessageOf(status)}});
}

int Output::Fail(const absl::Status& status) {
  ErrorLine(status);
  std::cerr << "cursor-collab: error: " << CodeOf(status) << ": " << MessageOf(status) << "\n";
  return cursor_apps::ExitCodeOf(status);
}

}  // namespace cursor_collab
