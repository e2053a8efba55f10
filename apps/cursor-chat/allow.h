#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ALLOW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ALLOW_H_

#include <absl/status/statusor.h>
#include <cursorwire/action_policy.h>
#include <cursorwire/chat.h>
#include <cursorwire/mcp/servers.h>

#include <string>

#include "terminal_question.h"

namespace cursor_chat {

// What the agent may do in the workspace.
struct Allow {
  bool read = true;
  bool write = false;  // write and delete files
  // Run commands and write input to those in the background; with `write`, also write files from
  // which other programs run code (WriteAction::runs_code).
  bool shell = false;
  // Call tools of the servers of --mcp-config without a question. Without `ask` they need none.
  bool mcp = false;
  bool ask = false;  // ask the user about what is not allowed
};

// Parses a comma-separated list of read, write, shell, mcp and ask, or "none". Each includes read.
//   kInvalidArgument  another word; the message is meant to follow the name of an option
absl::StatusOr<Allow> ParseAllow(const std::string& list);

// In plan and ask mode nothing may be written or run, whatever `allow` says. OK, or
// kPermissionDenied with the message for the agent.
absl::Status CheckMode(cursorwire::AgentMode mode);

// `question` must outlive the policy.
cursorwire::ActionPolicy MakePolicy(const Allow& allow, cursorwire::AgentMode mode,
                                    TerminalQuestion& question);

// The same for tools of servers. "none" refuses them; else they are allowed, but with `ask` and
// without `mcp` each call is a question.
cursorwire::mcp::CallPolicy MakeCallPolicy(const Allow& allow, cursorwire::AgentMode mode,
                                           TerminalQuestion& question);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ALLOW_H_
