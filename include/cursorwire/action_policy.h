// Room: src/workspace/fs
#ifndef CURSORWIRE_ACTION_POLICY_H_
#define CURSORWIRE_ACTION_POLICY_H_

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "cursorwire/action_context.h"

namespace cursorwire {

// What a LocalExecHandler is about to do on the user's machine, once it is allowed. Values. Texts
// are the agent's, so input of a stranger: show them with control characters escaped. They are
// UTF-8. Paths are those of the place itself, however the agent spelled it: absolute, with links,
// "..", and file: URIs resolved.

// A file will hold other bytes, or be made.
struct WriteAction {
  std::string path{};  // absolute
  bool creates = false;
  // What will change, as a unified diff (with the new file whole if it `creates`); a sentence where
  // that says nothing: bytes that are no text, or more than can be shown.
  std::string diff{};
  bool shown = true;  // false: `diff` is a sentence, and says why the change cannot be seen
  // The text that the change replaces, as the diff has it; empty if not `shown`.
  std::string old_text{};
  // git, an editor or a shell may run what will stand there, without a question, at its next
  // ordinary use: `.git` and the like, see docs/workspace.md. To allow this is to allow commands.
  bool runs_code = false;
};
struct DeleteAction {
  std::string path{};      // absolute
  bool runs_code = false;  // as of WriteAction: what is there may be a check that is to be run
};
// A command line will be given to /bin/sh.
struct ShellAction {
  std::string command{};
  std::string working_directory{};  // absolute
  bool in_background = false;  // nobody waits for its end: it goes on until its handler is gone
};
// A shell in the background will get this input.
struct ShellInputAction {
  uint32_t shell_id = 0;
  std::string command{};  // that the shell runs
  std::string chars{};
};

using LocalAction = std::variant<WriteAction, DeleteAction, ShellAction, ShellInputAction>;

// Decides on that very action: OK allows it, once. Any other status refuses, and the agent is told
// its message: say what it may do instead. It may take its time, to ask a user. Called on several
// threads at a time.
using ActionPolicy =
    std::function<absl::Status(const LocalAction& action, const ActionContext& context)>;

// The contents of a file will be told.
struct ReadAction {
  std::string path{};
};
// Names will be told: those in a folder, and below it.
struct ListAction {
  std::string path{};
};
// A file, or all files below a folder, will be searched.
struct SearchAction {
  std::string path{};
  std::string pattern{};  // empty: only names of files are searched
  std::string glob{};     // of the names of files; empty: all
};

using LookAction = std::variant<ReadAction, ListAction, SearchAction>;

// Decides on a look, as an ActionPolicy decides on a change. Only what is there is asked about.
using LookPolicy =
    std::function<absl::Status(const LookAction& look, const ActionContext& context)>;

}  // namespace cursorwire

#endif  // CURSORWIRE_ACTION_POLICY_H_
