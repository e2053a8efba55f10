#ifndef CURSORWIRE_EXEC_HANDLER_H_
#define CURSORWIRE_EXEC_HANDLER_H_

#include <absl/status/statusor.h>

#include <stop_token>

#include "cursorwire/exec.h"
#include "cursorwire/export.h"

namespace cursorwire {

// What the agent may do on the user's machine: one function a kind of action. What is not
// overridden is refused, and the agent is told so in the form that the protocol has for that kind.
//
// A status in place of an output becomes the typed answer that fits it best:
//   kPermissionDenied  refused; the agent sees the message as the reason, so say what to do instead
//   kNotFound          there is no such file
//   kInvalidArgument   it is no file (or folder) that this can be done to; a bad pattern
//   kResourceExhausted of Write() alone: no space is left on the device
//   any other code     a failure; the agent sees the message
// Thread: a Client calls on a thread of its own, one action at a time for all its streams, and
// waits in its destructor for the one that runs: a handler must not destroy its Client. One that
// several clients share is called by a thread of each. `stop` is requested when nobody waits for
// the answer any more: return soon then, with anything. Its callbacks run on a thread that must not
// wait.
class CURSORWIRE_EXPORT ExecHandler {
 public:
  virtual ~ExecHandler() = default;

  virtual absl::StatusOr<ReadOutput> Read(const ReadArgs& args, std::stop_token stop);
  virtual absl::StatusOr<LsOutput> Ls(const LsArgs& args, std::stop_token stop);
  virtual absl::StatusOr<GrepOutput> Grep(const GrepArgs& args, std::stop_token stop);
  virtual absl::StatusOr<WriteOutput> Write(const WriteArgs& args, std::stop_token stop);
  virtual absl::StatusOr<DeleteOutput> Delete(const DeleteArgs& args, std::stop_token stop);
  virtual absl::StatusOr<ShellOutput> Shell(const ShellArgs& args, std::stop_token stop);
  virtual absl::StatusOr<BackgroundShellOutput> BackgroundShell(const BackgroundShellArgs& args,
                                                                std::stop_token stop);
  virtual absl::StatusOr<WriteShellStdinOutput> WriteShellStdin(const WriteShellStdinArgs& args,
                                                                std::stop_token stop);
  virtual absl::StatusOr<FetchOutput> Fetch(const FetchArgs& args, std::stop_token stop);
  virtual absl::StatusOr<DiagnosticsOutput> Diagnostics(const DiagnosticsArgs& args,
                                                        std::stop_token stop);
  virtual absl::StatusOr<ListMcpResourcesOutput> ListMcpResources(const ListMcpResourcesArgs& args,
                                                                  std::stop_token stop);
  virtual absl::StatusOr<ReadMcpResourceOutput> ReadMcpResource(const ReadMcpResourceArgs& args,
                                                                std::stop_token stop);
  virtual absl::StatusOr<RecordScreenOutput> RecordScreen(const RecordScreenArgs& args,
                                                          std::stop_token stop);
  virtual absl::StatusOr<ComputerUseOutput> ComputerUse(const ComputerUseArgs& args,
                                                        std::stop_token stop);
};

// Calls the function of `handler` that the arguments are for. An exception of the handler becomes
// kUnknown.
CURSORWIRE_EXPORT absl::StatusOr<ExecOutput> Serve(ExecHandler& handler, const ExecArgs& args,
                                                   std::stop_token stop);

}  // namespace cursorwire

#endif  // CURSORWIRE_EXEC_HANDLER_H_
