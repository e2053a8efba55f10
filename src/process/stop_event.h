#ifndef CURSORWIRE_SRC_PROCESS_STOP_EVENT_H_
#define CURSORWIRE_SRC_PROCESS_STOP_EVENT_H_

#include <absl/status/statusor.h>

#include <memory>
#include <stop_token>

#include "base/file_descriptor.h"

namespace cursorwire::process {

// A file descriptor that becomes readable, for poll(2), once stop is requested. Thread-compatible;
// the request may come from any thread.
class StopEvent {
 public:
  //   kUnknown  no file descriptor is left
  static absl::StatusOr<std::unique_ptr<StopEvent>> Create(std::stop_token stop);

  int fd() const { return event_.get(); }

 private:
  struct Signal {
    int fd = -1;
    void operator()() const;
  };

  StopEvent(FileDescriptor event, std::stop_token stop);

  FileDescriptor event_;
  std::stop_callback<Signal> callback_;  // writes to `event_`, so it must be destroyed first
};

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_STOP_EVENT_H_
