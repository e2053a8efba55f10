#include "output.h"

#include <absl/strings/str_cat.h>
#include <cursorwire/connect/error_info.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

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

Output::Output() : stream_(STDOUT_FILENO), limit_(stop_.get_token()) {}

void Output::Line(std::string line) {
  if (gone_) return;
  line += '\n';
  const int error = stream_.Write(line, limit_);
  if (error == 0) return;
  // A stream that was closed before the start has no reader either.
  if (error != EPIPE && error != EBADF && error != ETIMEDOUT) error_ = error;
  gone_ = true;
}

void Output::Line(const ordered_json& value) { Line(cursor_apps::JsonLine(value)); }

absl::Status Output::status() const {
  if (error_ == 0) return absl::OkStatus();
  return absl::UnknownError(
      absl::StrCat("cannot write to standard output: ", std::generic_category().message(error_)));
}

void Output::ErrorLine(const absl::Status& status) {
  Line(ordered_json{{"type", "error"}, {"code", CodeOf(status)}, {"message", MessageOf(status)}});
}

void Output::FailedLine(uint64_t id, const absl::Status& status) {
  Line(ordered_json{
      {"type", "failed"}, {"id", id}, {"code", CodeOf(status)}, {"message", MessageOf(status)}});
}

void Output::Warn(const absl::Status& status) {
  std::cerr << "cursor-collab: warning: " << CodeOf(status) << ": " << MessageOf(status) << "\n";
}

int Output::Fail(const absl::Status& status) {
  ErrorLine(status);
  std::cerr << "cursor-collab: error: " << CodeOf(status) << ": " << MessageOf(status) << "\n";
  return cursor_apps::ExitCodeOf(status);
}

}  // namespace cursor_collab
