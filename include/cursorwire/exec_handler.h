// Room: src/agent/exec
#ifndef CURSORWIRE_EXEC_HANDLER_H_
#define CURSORWIRE_EXEC_HANDLER_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string_view>

#include "cursorwire/chat.h"
#include "cursorwire/exec.h"
#include "cursorwire/export.h"
#include "cursorwire/run_options.h"
#include "cursorwire/sandbox.h"

namespace cursorwire {

// Takes what a streamed command prints, as it comes. Both wait while the agent does not read, and
// return at once when nobody waits for the answer any more. Called by one thread at a time.
class CURSORWIRE_EXPORT ShellSink {
 public:
  virtual ~ShellSink() = default;

  // Before all else: what is in force, as of ShellOutput::sandbox. Does nothing by default.
  virtual void Started(const std::optional<SandboxPolicy>& sandbox);
  virtual void Out(std::string_view bytes) = 0;
  virtual void Err(std::string_view bytes) = 0;
};

// What the agent may do on the user's machine: one function a kind of action. What is not
// overridden is refused, and the agent is told so in the form that the protocol has for that kind.
//
// A status in place of an output becomes the typed answer that fits it best:
//   kPermissionDenied  refused; the agent sees the message as the reason, so say what to do instead
//   kNotFound          there is no such file
//   kInvalidArgument   this cannot be done to such a file or folder; a bad pattern
//   kResourceExhausted only from Write(): no space is left on the device
//   kFailedPrecondition  only of commands: this machine has not the sandbox that they must run in
//   any other code     a failure; the agent sees the message
// Thread: a Client calls on threads of its own, up to eight actions at a time, so a handler must be
// thread-safe. Its destructor waits for those that run: a handler must not destroy its Client.
// These threads block signals; a process that a
// handler starts inherits that unless it is given a mask of its own.
class CURSORWIRE_EXPORT ExecHandler {
 public:
  virtual ~ExecHandler() = default;

  // Adds to `environment`, which the agent is told, what it must know to ask this handler: the
  // folder that it serves. Called once by Client::Create(). Does nothing by default.
  virtual void Describe(Environment& environment) const;

  // The agent is told this file with the prompt of a turn (ChatRequest::attachments), as if it had
  // read it. Called before the turn begins, on the thread that begins it; must not throw. Does
  // nothing by default.
  virtual void OnAttached(const AttachedFile& file);

  virtual absl::StatusOr<ReadOutput> Read(const ReadArgs& args, const ActionContext& context);
  virtual absl::StatusOr<LsOutput> Ls(const LsArgs& args, const ActionContext& context);
  virtual absl::StatusOr<GrepOutput> Grep(const GrepArgs& args, const ActionContext& context);
  virtual absl::StatusOr<WriteOutput> Write(const WriteArgs& args, const ActionContext& context);
  virtual absl::StatusOr<DeleteOutput> Delete(const DeleteArgs& args, const ActionContext& context);
  virtual absl::StatusOr<ShellOutput> Shell(const ShellArgs& args, const ActionContext& context);
  // Shell(), for an agent that takes the output piece by piece; by default it gets all at the end.
  virtual absl::StatusOr<ShellOutput> ShellStream(const ShellArgs& args, ShellSink& sink,
                                                  const ActionContext& context);
  virtual absl::StatusOr<BackgroundShellOutput> BackgroundShell(const BackgroundShellArgs& args,
                                                                const ActionContext& context);
  virtual absl::StatusOr<WriteShellStdinOutput> WriteShellStdin(const WriteShellStdinArgs& args,
                                                                const ActionContext& context);
  virtual absl::StatusOr<FetchOutput> Fetch(const FetchArgs& args, const ActionContext& context);
  virtual absl::StatusOr<DiagnosticsOutput> Diagnostics(const DiagnosticsArgs& args,
                                                        const ActionContext& context);
  virtual absl::StatusOr<ListMcpResourcesOutput> ListMcpResources(const ListMcpResourcesArgs& args,
                                                                  const ActionContext& context);
  virtual absl::StatusOr<ReadMcpResourceOutput> ReadMcpResource(const ReadMcpResourceArgs& args,
                                                                const ActionContext& context);
};

// Calls the function of `handler` that the arguments are for. An exception of the handler becomes
// kUnknown. A ToolCall is not for a handler: kUnimplemented. `sink` takes what a streamed command
// prints; without one, Shell() runs it.
CURSORWIRE_EXPORT absl::StatusOr<ExecOutput> CallExecHandler(ExecHandler& handler,
                                                             const ExecArgs& args,
                                                             const ActionContext& context,
                                                             ShellSink* sink = nullptr);

}  // namespace cursorwire

#endif  // CURSORWIRE_EXEC_HANDLER_H_
