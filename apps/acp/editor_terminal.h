#ifndef CURSORWIRE_APPS_ACP_EDITOR_TERMINAL_H_
#define CURSORWIRE_APPS_ACP_EDITOR_TERMINAL_H_

#include <absl/status/statusor.h>
#include <cursorwire/exec.h>
#include <cursorwire/workspace.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/editor.h"

namespace cursor_acp {

// Output of a command that the editor keeps for us.
inline constexpr size_t kMaxTerminalBytes = size_t{1024} * 1024;
// Of an answer of the editor that needs no user.
inline constexpr std::chrono::milliseconds kMaxEditorTime{30'000};
// A command whose timeout lets it go on in the background: a terminal of an editor cannot become a
// background shell of ours, so it is waited for, this long unless the agent sets a hard timeout.
inline constexpr std::chrono::milliseconds kMaxTerminalTime{600'000};

// How commands are run in terminals.
struct TerminalShell {
  std::string file{};                    // of the shell that the agent is told of
  std::vector<std::string> variables{};  // as of LocalExecOptions
};

// Runs a command in a terminal of the editor, where the user sees it, and waits for its end.
// It sees few variables of the environment. `on_created` gets the id of the terminal. At a timeout,
// and when `stop` is requested, it is killed; the terminal is released in any case, also one that
// the editor makes too late.
//   kCancelled  `stop` is requested
//   and what the editor says
absl::StatusOr<cursorwire::ShellOutput> RunInTerminal(
    Editor& editor, const std::string& session_id, const TerminalShell& shell,
    const cursorwire::ShellAction& action, const cursorwire::ShellArgs& args,
    const std::function<void(const std::string&)>& on_created, const std::stop_token& stop);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_EDITOR_TERMINAL_H_
