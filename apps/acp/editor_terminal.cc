#include "acp/editor_terminal.h"

#include <cursorwire/workspace.h>

#include <algorithm>
#include <utility>

namespace cursor_acp {
namespace {

using cursorwire::ShellOutput;
using Clock = std::chrono::steady_clock;

std::chrono::milliseconds LimitOf(const cursorwire::ShellArgs& args) {
  const bool goes_on = args.timeout_behavior == cursorwire::TimeoutBehavior::kBackground;
  if (!goes_on && args.timeout.count() > 0) return std::min(args.timeout, kMaxTerminalTime);
  if (args.hard_timeout.count() > 0) return std::min(args.hard_timeout, kMaxTerminalTime);
  return kMaxTerminalTime;
}

// Arguments for /bin/sh that run the command in the shell. The command is an argument, which is
// never read as a part of the script or as an option. It sees of the editor's environment, which
// may hold tokens and reach an ssh agent, the same as commands of ours (docs/workspace.md), and the
// kind of the terminal.
Json ShellArguments(const TerminalShell& shell, const std::string& command) {
  std::vector<std::string> shown = cursorwire::LocalExecHandler::CommandVariables();
  shown.emplace_back("TERM");
  Json set = Json::array();
  for (const std::string& variable : shell.variables) {
    if (variable.find('=') == variable.npos) {
      shown.push_back(variable);
    } else {
      set.push_back(variable);  // for env, which takes the last one of a name
    }
  }
  std::string script = "exec /usr/bin/env -i";
  for (const std::string& name : shown) {
    script.append(" ${").append(name).append("+\"").append(name).append("=$");
    script.append(name).append("\"}");
  }
  script += " \"$@\"";
  Json arguments = Json::array({"-c", std::move(script), "sh"});
  arguments.insert(arguments.end(), set.begin(), set.end());
  arguments.push_back(shell.file);
  // Else it reads files of the user first.
  if (shell.file.ends_with("/zsh")) arguments.push_back("-f");
  for (const std::string& argument : {std::string("-c"), std::string("--"), command}) {
    arguments.push_back(argument);
  }
  return arguments;
}

// A terminal of the editor; released when this is destroyed.
class EditorTerminal {
 public:
  EditorTerminal(Editor& editor, const std::string& session_id, const std::string& id)
      : editor_(editor), params_({{"sessionId", session_id}, {"terminalId", id}}) {}
  ~EditorTerminal() { editor_.Post("terminal/release", params_); }
  EditorTerminal(const EditorTerminal&) = delete;
  EditorTerminal& operator=(const EditorTerminal&) = delete;

  absl::StatusOr<Json> AwaitExit(std::chrono::milliseconds limit, const std::stop_token& stop) {
    return editor_.Call("terminal/wait_for_exit", params_, limit, stop);
  }
  void Kill() { editor_.Post("terminal/kill", params_); }
  absl::StatusOr<Json> Output(const std::stop_token& stop) {
    return editor_.Call("terminal/output", params_, kMaxEditorTime, stop);
  }

 private:
  Editor& editor_;
  const Json params_;
};

void ReadExit(const Json& exit, ShellOutput& output) {
  const Json& code = MemberOf(exit, "exitCode");
  output.signal = TextOf(exit, "signal");
  constexpr int kKilledBySignal = 128;  // a shell has this and the number, which we do not know
  if (code.is_number_integer()) {
    output.exit_code = static_cast<int32_t>(code.get<int64_t>());
  } else if (!output.signal.empty()) {
    output.exit_code = kKilledBySignal;
  }
}

}  // namespace

absl::StatusOr<ShellOutput> RunInTerminal(Editor& editor, const std::string& session_id,
                                          const TerminalShell& shell,
                                          const cursorwire::ShellAction& action,
                                          const cursorwire::ShellArgs& args,
                                          const std::function<void(const std::string&)>& on_created,
                                          const std::stop_token& stop) {
  const Clock::time_point start = Clock::now();
  // One that is made although nobody waits for it any more must not go on.
  const auto end_late = [&editor, session_id](const Json& created) {
    const absl::StatusOr<std::string> id = RequireText(created, "terminalId");
    if (id.ok()) EditorTerminal(editor, session_id, *id).Kill();
  };
  // A whole line as `command` works in some editors alone; the program and its arguments, in all.
  const absl::StatusOr<Json> created = editor.Call("terminal/create",
                                                   {{"sessionId", session_id},
                                                    {"command", "/bin/sh"},
                                                    {"args", ShellArguments(shell, action.command)},
                                                    {"cwd", action.working_directory},
                                                    {"outputByteLimit", kMaxTerminalBytes}},
                                                   kMaxEditorTime, stop, end_late);
  if (!created.ok()) return created.status();
  const absl::StatusOr<std::string> id = RequireText(*created, "terminalId");
  if (!id.ok()) return absl::AbortedError("the editor names no terminal");
  EditorTerminal terminal(editor, session_id, *id);
  on_created(*id);
  const absl::StatusOr<Json> exit = terminal.AwaitExit(LimitOf(args), stop);
  ShellOutput output;
  if (!exit.ok()) {
    terminal.Kill();
    if (!absl::IsDeadlineExceeded(exit.status())) return exit.status();
    output.timed_out = true;
  }
  const absl::StatusOr<Json> printed = terminal.Output(stop);
  if (!printed.ok()) return printed.status();
  output.out = TextOf(*printed, "output");
  if (FlagOf(*printed, "truncated")) output.out = "(the start is left out)\n" + output.out;
  if (exit.ok()) ReadExit(*exit, output);
  output.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  return output;
}

}  // namespace cursor_acp
