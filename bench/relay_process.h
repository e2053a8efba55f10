#ifndef CURSORWIRE_BENCH_RELAY_PROCESS_H_
#define CURSORWIRE_BENCH_RELAY_PROCESS_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace cursorwire::bench {

// A relay of length-prefixed messages as a child process on sockets, as Node.js starts its
// children. Each function waits. Thread-compatible.
class RelayProcess {
 public:
  //   kUnavailable  it cannot be started
  static absl::StatusOr<RelayProcess> Start(std::vector<std::string> command,
                                            std::vector<std::string> environment);
  ~RelayProcess();
  RelayProcess(RelayProcess&& other) noexcept;
  RelayProcess& operator=(RelayProcess&&) = delete;

  //   kUnavailable  it does not read, or does not write so much
  absl::Status Send(std::string_view message);
  // Until so many bytes of messages have come.
  absl::Status Read(size_t bytes);
  // The most memory that was resident so far. 0: it has ended.
  double PeakMib() const;
  // Ends its input, and waits until it ends: the seconds of CPU that it took, user and system.
  //   kUnavailable  it failed
  absl::StatusOr<double> Finish();

 private:
  RelayProcess(pid_t process, FileDescriptor input, FileDescriptor output)
      : process_(process), input_(std::move(input)), output_(std::move(output)) {}

  pid_t process_;
  FileDescriptor input_;
  FileDescriptor output_;
  std::string prefix_;       // of a message, in part
  size_t message_left_ = 0;  // of the current message
  size_t read_ahead_ = 0;    // bytes of messages that Read() has yet to count
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_RELAY_PROCESS_H_
