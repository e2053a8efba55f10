#ifndef CURSORWIRE_APPS_H2_BRIDGE_LOG_FILE_H_
#define CURSORWIRE_APPS_H2_BRIDGE_LOG_FILE_H_

#include <absl/status/statusor.h>
#include <cursorwire/connect/time_point.h>

#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace h2_bridge {

// The file of --log: a line for each event, with the milliseconds since the start. Its lines hold
// no token and nothing of a request or response. Only its owner may read it.
class LogFile {
 public:
  // Appends to a file that is there.
  //   kInvalidArgument  it cannot be opened, is no regular file, or belongs to somebody else
  static absl::StatusOr<LogFile> Open(const std::string& path, cursorwire::connect::TimePoint now);

  void Write(std::string_view line, cursorwire::connect::TimePoint now);

 private:
  LogFile(cursorwire::FileDescriptor fd, cursorwire::connect::TimePoint start)
      : fd_(std::move(fd)), start_(start) {}

  cursorwire::FileDescriptor fd_;
  cursorwire::connect::TimePoint start_;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_LOG_FILE_H_
