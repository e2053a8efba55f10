#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ALLOW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ALLOW_H_

#include <absl/status/statusor.h>
#include <cursorwire/action_policy.h>
#include <cursorwire/chat.h>

#include <string>

#include "terminal_question.h"

namespace cursor_chat {

// What the agent may do in the workspace.
struct Allow {
  bool read = true;
  bool write = false;  // files; to delete them, too
  // Commands; input for those that run in the background, too; with `write`, files that other
  // programs run code from (WriteAction::runs_code).
  bool shell = false;
  bool ask = false;  // the user decides on writes and commands that are not allowed
};

// Parses a comma-separated list of read, write, shell and ask, or "none". The last three include
// read.
//   kInvalidArgument  another word; the message is for behind the name of an option
absl::StatusOr<Allow> ParseAllow(const std::string& list);

// In plan and ask mode nothing is written or run, whatever `allow` says. OK, or kPermissionDenied
// with what the agent is told.
absl::Status CheckMode(cursorwire::AgentMode mode);

// `question` outlives the policy.
cursorwire::ActionPolicy MakePolicy(const Allow& allow, cursorwire::AgentMode mode,
                                    TerminalQuestion& question);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ALLOW_H_
