#ifndef CURSORWIRE_APPS_CURSOR_CHAT_CONNECT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_CONNECT_H_

#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/connect/channel_options.h>
#include <cursorwire/connect/interceptor.h>
#include <cursorwire/credentials.h>
#include <cursorwire/exec_handler.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/query_handler.h>
#include <cursorwire/workspace.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "options.h"

namespace cursor_chat {

// The folder that the options give to the agent; nullptr: no folder. `policy` decides what the
// agent may do there.
absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> OpenWorkspace(
    const Options& options, const cursorwire::ActionPolicy& policy);

// How the hosts of the service are reached, by the options.
absl::StatusOr<cursorwire::connect::ChannelOptions> MakeChannelOptions(const Options& options);

// The user's login, in the places that the options name.
absl::StatusOr<std::shared_ptr<cursorwire::Credentials>> FindCredentials(const Options& options);

// What a client has beside its options; each may be left out.
struct ClientParts {
  std::shared_ptr<cursorwire::ExecHandler> workspace{};  // such as that of OpenWorkspace()
  std::shared_ptr<cursorwire::QueryHandler> queries{};
  std::shared_ptr<cursorwire::Credentials> login{};  // else FindCredentials()
  std::vector<std::shared_ptr<cursorwire::connect::Interceptor>> interceptors{};
};

// The client that the options ask for. If they ask for the stand-in, `local` is set to it unless it
// is there; it must outlive the client. Once the client has the tokens, they are hidden in the
// environment. Options::trace records its calls. After `stop`, a login that is being renewed has
// two seconds left, so that what comes of it is kept.
absl::StatusOr<cursorwire::Client> Connect(const Options& options,
                                           std::optional<cursorwire::LocalUpstream>& local,
                                           const ClientParts& parts = {},
                                           const std::stop_token& stop = {});

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_CONNECT_H_
