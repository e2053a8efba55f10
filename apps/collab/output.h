#ifndef CURSORWIRE_APPS_COLLAB_OUTPUT_H_
#define CURSORWIRE_APPS_COLLAB_OUTPUT_H_

#include <absl/status/status.h>

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "common/standard_stream.h"
#include "common/write_limit.h"

namespace cursor_collab {

using nlohmann::ordered_json;

// The lines of standard output, and errors. Thread-safe.
class Output {
 public:
  // After StopWaiting(), a reader that does not read is not waited for.
  Output();

  // One line, at once. Nothing where the reader is gone.
  void Line(std::string line);
  void Line(const ordered_json& value);
  // The line for a failure that does not end the program.
  void ErrorLine(const absl::Status& status);
  // The same for what has this id.
  void FailedLine(uint64_t id, const absl::Status& status);
  // "cursor-collab: error: CODE: MESSAGE" on standard error, and the same as a line. Returns the
  // exit code.
  int Fail(const absl::Status& status);

  // "cursor-collab: warning: CODE: MESSAGE" on standard error.
  void Warn(const absl::Status& status);

  // Why lines could not be written, but for a reader that is gone.
  absl::Status status() const;
  // After a signal.
  void StopWaiting() { stop_.request_stop(); }
  // Nobody reads any more, or nothing can be written: there is nothing left to do.
  bool reader_is_gone() const { return gone_; }

 private:
  std::stop_source stop_;
  const cursor_apps::StandardStream stream_;
  const cursor_apps::WriteLimit limit_;
  std::atomic<bool> gone_ = false;
  std::atomic<int> error_ = 0;
};

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_OUTPUT_H_
