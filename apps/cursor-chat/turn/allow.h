#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_ALLOW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_ALLOW_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/workspace.h>

#include "common/allow.h"
#include "output/output.h"
#include "output/terminal_question.h"

namespace cursor_chat {

using cursor_apps::Allow;
using cursor_apps::CheckMode;

// `question` must outlive the policy.
cursorwire::ActionPolicy MakePolicy(const Allow& allow, cursorwire::AgentMode mode,
                                    TerminalQuestion& question);

// The same for tools of servers. "none" refuses them; else they are allowed, but with `ask` and
// without `mcp` each call is a question.
cursorwire::mcp::CallPolicy MakeCallPolicy(const Allow& allow, cursorwire::AgentMode mode,
                                           TerminalQuestion& question);

// `policy`, which also shows on the terminal what it allows, unless it belongs to a tool call: such
// calls are shown by the events of the turn, and of anything else no event tells. `output` must
// outlive it.
cursorwire::ActionPolicy ShowUnnamed(cursorwire::ActionPolicy policy, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_ALLOW_H_
