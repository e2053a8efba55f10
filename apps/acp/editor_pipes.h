#ifndef CURSORWIRE_APPS_ACP_EDITOR_PIPES_H_
#define CURSORWIRE_APPS_ACP_EDITOR_PIPES_H_

#include <functional>
#include <stop_token>

#include "acp/agent.h"
#include "acp/editor.h"

namespace cursor_acp {

// Carries bytes between the editor's two pipes and `editor`, and gives what comes to `agent`.
// Returns when `input` has ended, `stop` is requested, or nobody reads `output`; by then the agent
// is stopped, its last answers are written if anybody reads them, and `editor` is closed. `on_end`
// is called once before all that, which may take seconds, on any thread.
//   kUnavailable  the system starts no more threads: nothing was read
absl::Status ServeEditor(int input, int output, Editor& editor, Agent& agent,
                         const std::stop_token& stop,
                         const std::function<void()>& on_end = nullptr);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_EDITOR_PIPES_H_
