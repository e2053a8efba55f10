#ifndef CURSORWIRE_APPS_CURSOR_CHAT_CONNECTION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_CONNECTION_H_

#include <absl/status/statusor.h>
#include <cursorwire/action_policy.h>
#include <cursorwire/client.h>
#include <cursorwire/local_exec_handler.h>
#include <cursorwire/local_upstream.h>

#include <memory>
#include <optional>

#include "options.h"

namespace cursor_chat {

// The folder that the options show to the agent; nullptr: none. `policy` decides on what the agent
// does there.
absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> OpenWorkspace(
    const Options& options, const cursorwire::ActionPolicy& policy);

// The client that the options ask for. `local` is filled with the stand-in, if one is asked for,
// and outlives the client. `workspace` is of OpenWorkspace(). The tokens in the environment are
// hidden once the client has them.
absl::StatusOr<cursorwire::Client> Connect(
    const Options& options, std::optional<cursorwire::LocalUpstream>& local,
    const std::shared_ptr<cursorwire::LocalExecHandler>& workspace = nullptr);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_CONNECTION_H_
