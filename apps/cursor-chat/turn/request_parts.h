#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_REQUEST_PARTS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_REQUEST_PARTS_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/model.h>

#include "options.h"
#include "turn/running_commands.h"

namespace cursor_chat {

// The tools of the file that --tools names; an empty registry without --tools. Options::own_files
// must be there. `running` can kill what they run.
//   kInvalidArgument  a tool cannot be offered
absl::StatusOr<cursorwire::ToolRegistry> OfferedTools(const Options& options,
                                                      RunningCommands& running);

// A request for this model with what the options say of each turn; the prompt and what belongs to
// it are left to the caller.
cursorwire::ChatRequest MakeRequest(const Options& options, cursorwire::ChosenModel model);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_REQUEST_PARTS_H_
