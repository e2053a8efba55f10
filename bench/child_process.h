#ifndef CURSORWIRE_BENCH_CHILD_PROCESS_H_
#define CURSORWIRE_BENCH_CHILD_PROCESS_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace cursorwire::bench {

// A child whose standard input and output are sockets. Whoever starts it waits for its end.
struct ChildProcess {
  pid_t id = -1;
  FileDescriptor input;   // what is written here, the child reads
  FileDescriptor output;  // what the child writes
};

// `environment` is the whole of it, as NAME=VALUE.
//   kUnavailable  it cannot be started
absl::StatusOr<ChildProcess> StartChild(std::vector<std::string> command,
                                        std::vector<std::string> environment);

// False if the other end is closed.
bool WriteAll(int socket, std::string_view bytes);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CHILD_PROCESS_H_
