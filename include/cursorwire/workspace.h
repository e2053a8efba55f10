// Room: src/workspace/fs
#ifndef CURSORWIRE_WORKSPACE_H_
#define CURSORWIRE_WORKSPACE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/export.h"
#include "cursorwire/sandbox.h"

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
  // What it will be allowed in the sandbox; nullopt: it runs as the user, without one.
  std::optional<SandboxPolicy> sandbox{};
  // What of that is more than LocalExecOptions::sandbox gives, since the service wishes it:
  // "network", "git_write", "write:" with a path; "all": to run as the user. To allow the action is
  // to give it this time.
  std::vector<std::string> permissions{};
  // Why it is not in the sandbox that the options want, for the user; empty: it is, or
  // `permissions` say so, or they want none.
  std::string no_sandbox{};
};
// A shell in the background will get this input.
struct ShellInputAction {
  uint32_t shell_id = 0;
  std::string command{};  // that the shell runs
  std::string chars{};
  bool sandboxed = false;  // the shell runs in the sandbox
};

// One line in plain words, for a question or a log: what a command may change and reach.
CURSORWIRE_EXPORT std::string DescribeSandbox(const SandboxPolicy& policy);

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

// Bounds of what the agent is told, so that one answer fits into the model's window; what it may
// change; bounds of that. A value.
struct LocalExecOptions {
  size_t max_read_bytes = size_t{512} * 1024;  // of one Read(); the rest is left out and said so
  size_t max_line_bytes = 2000;                // of one line of Grep()
  // Lines of one Grep(), context included; if it answers with file names, each name is one line.
  size_t max_grep_lines = 2000;
  // Files and folders of one Ls(). A folder with more entries than are left is only counted; the
  // folder that was asked for shows its first ones.
  size_t max_ls_entries = 1000;
  // Longest time of one action: the answer is what was found by then, and `total_lines` of Read()
  // is what was counted by then. A step of Grep() that cannot be interrupted may take seconds more.
  std::chrono::milliseconds timeout{10'000};

  // Decides on every single action that writes, deletes or runs something, with what will really be
  // done. Empty: all of these are refused with kPermissionDenied, in words that say what to do
  // instead. A policy that throws refuses.
  ActionPolicy policy{};
  // Decides on every single read, list and search, with the file or folder that will really be
  // opened: links are not followed any more after that. Empty: all of these are allowed. It needs
  // /proc. A policy that throws refuses.
  LookPolicy look_policy{};
  // Files that decide what the host itself runs, such as its lists of tools, and the programs in
  // them: WriteAction::runs_code and DeleteAction::runs_code are true for them, by whatever path or
  // other name they are reached. Absolute paths; they need not exist.
  std::vector<std::string> code_files{};
  // Size of one Write(), and of the replaced file if the policy is to see it.
  size_t max_write_bytes = size_t{16} * 1024 * 1024;
  // Bytes of each of the two outputs of a command; a notice says how much was left out.
  size_t max_shell_output_bytes = size_t{1} * 1024 * 1024;
  // The file of the shell that runs commands, bash or zsh; empty: what the variable SHELL names.
  // Where that is neither, /bin/sh. The agent is told which one it is.
  std::string shell{};
  // The sandbox of commands: docs/sandbox.md. With it they get caches and a /tmp of their own.
  SandboxSettings sandbox{};
  // Variables that commands get beside those that they always get (LocalExecHandler::
  // CommandVariables()): NAME, with its value in the environment of this process, if it has one; or
  // NAME=VALUE, which goes first.
  std::vector<std::string> variables{};
  // Timeout of a command that sets none.
  std::chrono::milliseconds shell_timeout{30'000};
  // A longer timeout counts as this. Source: docs/protocol.md, execs.
  std::chrono::milliseconds max_shell_timeout{86'400'000};
  size_t max_background_shells = 16;  // that run at a time
  // Size of one file with the output of a command. There is a file if the output is more than an
  // answer should have, or if the command runs in the background. The files of the last 16 commands
  // that ended are kept.
  size_t max_output_file_bytes = size_t{16} * 1024 * 1024;
};

// Shows the agent one folder of this machine and what is below it, unless
// LocalExecOptions::look_policy refuses. Changes that, and runs commands, as far as
// LocalExecOptions::policy allows it each time: by default not at all.
//
// A path is resolved within the folder alone: one that leads out of it, by "..", as an absolute
// path elsewhere or through a symbolic link, is refused with kPermissionDenied, whatever is moved
// at that moment. Hard links are followed; creating one required permission. Only regular files
// are read; a device or pipe is kInvalidArgument. Names that are not UTF-8 are shown with U+FFFD in
// place of the bytes, and cannot be asked for. An action that is stopped returns kCancelled.
// Thread-safe.
//
// Without LocalExecOptions::sandbox, a command starts in the folder and may then do whatever the
// user may do: what it must not do is the policy's to refuse. A host must not ignore SIGCHLD nor
// wait for any child of the process, or exit codes are lost. See also docs/workspace.md.
//
// A host that does some actions in another way derives from it and overrides those.
class CURSORWIRE_EXPORT LocalExecHandler : public ExecHandler {
 public:
  //   kInvalidArgument  `folder` is not a folder, or cannot be opened; a variable of the options
  //                     has a name that cannot be given to a command
  static absl::StatusOr<std::unique_ptr<LocalExecHandler>> Create(const std::string& folder,
                                                                  LocalExecOptions options = {});
  // Serves no folder: each action is kPermissionDenied with this message for the agent.
  static std::unique_ptr<LocalExecHandler> CreateWithoutFolder(std::string message);
  // Names of the variables of the environment that commands get in any case, where they are set:
  // folders, languages, compilers and the like. Nothing that may hold a secret or leads to one is
  // among them: docs/workspace.md.
  static const std::vector<std::string>& CommandVariables();
  // Whether LocalExecOptions::variables may have this: NAME or NAME=VALUE.
  //   kInvalidArgument  the name is no name of a variable, or one that is ours to set
  static absl::Status CheckVariable(std::string_view variable);
  // What there is for LocalExecOptions::sandbox. The first call tries it, which takes some 50 ms.
  static SandboxSupport FindSandbox();
  // Kills the background shells. No action may be under way.
  ~LocalExecHandler() override;

  // Absolute, without symbolic links. Empty: it serves none.
  const std::string& folder() const;
  // Where Write() would put a file: the absolute path, without symbolic links, that a path of the
  // agent means. Neither the file nor the folders that the path names need to exist.
  //   kPermissionDenied  it leads out of the folder
  //   kInvalidArgument   it is no path of a file, or not UTF-8
  absl::StatusOr<std::string> RealPath(std::string_view path) const;
  // Absolute path of the folder in which `N.txt` is what background shell N prints, for
  // Environment::terminals_folder. It is made by the first call, in $TMPDIR or /tmp, and removed by
  // the destructor and by KillCommands(). Read() shows its files too. Empty: it cannot be made.
  std::string terminals_folder() const;

  // Tells folder(), the shell that runs commands, whether they have a sandbox, and
  // terminals_folder() if there is a policy that may allow a command.
  void Describe(Environment& environment) const override;

  // Remembers what the agent knows of the file, as of Read().
  void OnAttached(const AttachedFile& file) override;

  // Kills all commands that run, in the background too, as their timeout would, and refuses new
  // ones from then on with kCancelled. It does not wait for those that wait for them: it is for a
  // program that ends at once, and may be called on any thread, whatever is under way.
  void KillCommands();

  // Lines of a file, or all of it. Text in UTF-16 with a mark is told as UTF-8. A range is read
  // wherever in the file it is: only its own lines count against `max_read_bytes`. A limit of 0
  // means no limit.
  //   kDeadlineExceeded  lines counted from the end, of a file too large to count within `timeout`
  absl::StatusOr<ReadOutput> Read(const ReadArgs& args, const ActionContext& context) override;
  // The tree below a folder, without `.git` and what `.gitignore` and `.cursorignore` files and the
  // arguments ignore. Symbolic links are shown as files. Folders more than 40 levels down are only
  // counted.
  absl::StatusOr<LsOutput> Ls(const LsArgs& args, const ActionContext& context) override;
  // Searches text files with RE2 (https://github.com/google/re2/wiki/Syntax): no back references,
  // and time linear in the size of the files. Leaves out what Ls() leaves out, links, and files
  // with a zero byte near their start; a path that is a file is searched whatever it is called.
  // Results, for `offset` and `head_limit`, are matching lines, or files where these are the
  // answer. Without a pattern, the files whose names fit, with a count of 0.
  absl::StatusOr<GrepOutput> Grep(const GrepArgs& args, const ActionContext& context) override;

  // What Read() told of a file, and what Write() and Delete() made of it, is remembered (docs/
  // workspace.md): both refuse a file that somebody else, or a command, has changed or made since.
  //
  // Replaces a file by one that holds these bytes, at once and as a whole: whatever fails, the old
  // file stays. Its mode bits and, where the system allows it, its owner are kept; other names of
  // the same file keep the old bytes. Missing folders are made. A link within the folder is
  // followed, as Read() does it. `content_after` is told up to `max_read_bytes`.
  // Text keeps the encoding of the old file: UTF-16 with a mark, UTF-8 with one.
  //   kInvalidArgument    no regular file, more than `max_write_bytes`, or text for a file of
  //                       another encoding
  //   kPermissionDenied   refused, or the user may not write it
  //   kResourceExhausted  no space, or a quota
  //   kAborted            it was changed by somebody else since the agent read it, or while the
  //                       policy decided
  absl::StatusOr<WriteOutput> Write(const WriteArgs& args, const ActionContext& context) override;
  // Removes a regular file, or a symbolic link and not what it points to. `previous_content` is
  // told of text of up to `max_read_bytes`.
  //   kInvalidArgument  a folder, pipe, socket or device
  //   kAborted          as of Write()
  absl::StatusOr<DeleteOutput> Delete(const DeleteArgs& args,
                                      const ActionContext& context) override;
  // Runs a command of the shell (LocalExecOptions::shell) in a session of its own, in a folder
  // below the shared one, without input and with few variables of our environment. It ends with the
  // shell: what the command left running is killed then, and when it is stopped, and at the timeout
  // unless it goes on as a background shell: ShellArgs::timeout_behavior. With
  // ShellArgs::in_background it is one at once. A command that a signal ended has 128 and its
  // number as the exit code, as shells have it.
  //   kInvalidArgument    the command has a zero byte, is no UTF-8 or too long for the system
  //   kFailedPrecondition  SandboxMode::kRequire, and there is no sandbox for it
  absl::StatusOr<ShellOutput> Shell(const ShellArgs& args, const ActionContext& context) override;
  // The same. While `sink` waits, the command is not read, and waits too: also its timeout does.
  absl::StatusOr<ShellOutput> ShellStream(const ShellArgs& args, ShellSink& sink,
                                          const ActionContext& context) override;
  // Runs such a command until it ends by itself or this handler is destroyed. What it prints is in
  // a file of terminals_folder().
  //   kResourceExhausted  `max_background_shells` run already
  absl::StatusOr<BackgroundShellOutput> BackgroundShell(const BackgroundShellArgs& args,
                                                        const ActionContext& context) override;
  // Waits for the shell to take the input, for `timeout` at most. It cannot close the input.
  //   kNotFound          there is no such shell, or it has ended
  //   kDeadlineExceeded  it did not take all; the message says how much
  //   kAborted           other input of the same shell is under way
  absl::StatusOr<WriteShellStdinOutput> WriteShellStdin(const WriteShellStdinArgs& args,
                                                        const ActionContext& context) override;

 protected:
  // For the constructor of a derived class: takes what Create() has made, of which nothing may be
  // called after that but the destructor.
  LocalExecHandler(LocalExecHandler&& other) noexcept;

  // Whether a command for which the service wishes nothing runs in the sandbox.
  bool commands_are_sandboxed() const;

  // For a derived class whose Read() and Write() use what an editor has of a file.
  //
  // Write(), decided by `policy` in place of that of the options.
  absl::StatusOr<WriteOutput> WriteWith(const ActionPolicy& policy, const WriteArgs& args,
                                        const ActionContext& context);
  // The agent knows of what is on the disk now. `real_path` as of RealPath().
  void TellDisk(const std::string& real_path);
  // The agent was told this text of a file, beside or in place of what is on the disk. `real_path`
  // as of RealPath().
  void TellText(const std::string& real_path, std::string_view text);
  // Whether the agent knows this text of it; also true for a file that it was not told of.
  //   kAborted  no: it was changed or made by somebody else
  absl::Status CheckText(const std::string& real_path, std::string_view text) const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  LocalExecHandler(std::unique_ptr<Impl> impl, std::string refusal);
  absl::Status NoFolder() const;

  std::unique_ptr<Impl> impl_;  // nullptr: no folder
  std::string refusal_;         // then
};

}  // namespace cursorwire

#endif  // CURSORWIRE_WORKSPACE_H_
