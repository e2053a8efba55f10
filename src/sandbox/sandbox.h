#ifndef CURSORWIRE_SRC_SANDBOX_SANDBOX_H_
#define CURSORWIRE_SRC_SANDBOX_SANDBOX_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "sandbox/support.h"

namespace cursorwire::sandbox {

struct SandboxOptions {
  std::string workspace{};  // absolute, without symbolic links
  Support support{};
  bool allow_partial = false;
  std::vector<std::string> environment{};  // of this process: PlacesOptions::environment
  std::vector<std::string> code_files{};
};

// What became of a command in the sandbox.
struct SandboxEnd {
  // Not OK: the sandbox could not be set up, so the command did not run at all. Means nothing for a
  // command that was killed at once.
  absl::Status setup{};
  // What appeared in the workspace and runs code: "NAME was moved to NAME.blocked-1", "... was
  // made: git runs what its settings say". Lines for the agent and the user.
  std::vector<std::string> appeared{};
};

// A command that is to run, or runs, in a sandbox. Keep it until the command has ended.
// Order: program(), process::ChildProcess::Start(), Admit(), pid(), Finish().
class SandboxedCommand {
 public:
  virtual ~SandboxedCommand() = default;
  // What process::ChildProcess::Start() is to be given.
  virtual const process::Program& program() const = 0;
  // Once, after the start: waits until the sandbox is set up, for 5 seconds at most, looks whether
  // it is the one that was meant, and lets the command run, which does not before. Also OK if it
  // could not be set up: then Finish() says so. After an error kill the child: nothing has run.
  //   kAborted           the workspace was changed meanwhile; the same call may be made again
  //   kDeadlineExceeded  it was not set up in this time
  //   kUnavailable       it cannot be looked at; says why
  virtual absl::Status Admit() = 0;
  // The process id of the command, as this machine has it: when that one dies, all of the command
  // does. Waits for it, for a second at most; 0: not known. After Start(). For Backend::kPartial 0:
  // there it is that of the ChildProcess.
  virtual pid_t pid() = 0;
  // Once, after the command has ended and its processes are gone.
  virtual SandboxEnd Finish() = 0;
};

// The sandbox of a session: a private folder, which is /tmp inside and is kept between commands,
// and a thread from which commands are started (--die-with-parent is bound to the thread).
// Thread-safe.
class Sandbox {
 public:
  //   kUnavailable  the private folder cannot be made, or no thread can be started
  static absl::StatusOr<std::unique_ptr<Sandbox>> Create(SandboxOptions options);
  // Removes the private folder. Commands must have ended.
  ~Sandbox();

  // Whether Prepare() would succeed for that policy, as far as that can be known before.
  //   as of FindPlaces() and MakePlan()
  absl::Status Check(const SandboxPolicy& policy) const;
  // `program` in the sandbox. `readable`: files that must be seen inside, wherever they lie.
  //   as of FindPlaces() and MakePlan()
  //   kNotFound     the folder or the file of `program` cannot be seen in the sandbox
  //   kUnavailable  no memory or file descriptor is left
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> Prepare(
      const SandboxPolicy& policy, process::Program program,
      const std::vector<std::string>& readable = {});

 private:
  class Impl;
  explicit Sandbox(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_SANDBOX_H_
