#ifndef CURSORWIRE_SRC_SANDBOX_BWRAP_CALL_H_
#define CURSORWIRE_SRC_SANDBOX_BWRAP_CALL_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "process/child_process.h"
#include "sandbox/status_pipe.h"

namespace cursorwire::sandbox {

// The path of a folder that is open.
//   kNotFound  it was removed, or cannot be reached by a path
absl::StatusOr<std::string> FolderPath(int folder);

struct BwrapCallOptions {
  std::string bwrap{};                   // its path
  std::vector<std::string> arguments{};  // without the command, and without descriptors
  std::string filter{};                  // of MakeFilter(); empty: none
};

// One call of bubblewrap around a program: what it is started with, and what it tells. Its options
// and the program's environment are in memory, where `ps` does not show them and where no variable
// (LD_LIBRARY_PATH) acts on bubblewrap itself. Thread-compatible.
class BwrapCall {
 public:
  // `program` as it would run without a sandbox. Its folder must have a path inside.
  //   kNotFound     the folder of the program was removed
  //   kUnavailable  no memory or file descriptor is left
  static absl::StatusOr<BwrapCall> Make(const BwrapCallOptions& options, process::Program program);

  // What is to be started, while this lives.
  const process::Program& program() const { return program_; }
  process::Program& program() { return program_; }
  // Call after the start. It ends with bubblewrap if CloseWriteEnd() was called.
  StatusPipe& status() { return status_; }
  // Lets bubblewrap run the command once all is set up; it waits for this. Before or after the
  // start, once. Without it the command never runs, whatever becomes of this.
  //   kUnavailable  the system does not do it
  absl::Status LetRun();
  // Whether everything was set up, so that the command was to be started: whether it could be, or
  // its folder is there inside, is not known. After the end; false as well for one that was killed
  // meanwhile.
  bool WasSetUp();

 private:
  BwrapCall() = default;

  process::Program program_{};
  FileDescriptor arguments_;
  FileDescriptor filter_;
  // A pair of sockets. bubblewrap reads one byte when all is set up, or waits for it: also after
  // our end was closed, where a pipe would have ended, which it takes for the byte.
  FileDescriptor gate_;
  FileDescriptor block_;  // the end that it reads; open here, which shows whether it did
  bool is_let_ = false;
  StatusPipe status_;
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_BWRAP_CALL_H_
