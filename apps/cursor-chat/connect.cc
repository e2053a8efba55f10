#include "connect.h"

#include <cursorwire/connect/tls_options.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "common/code_files.h"
#include "common/find_credentials.h"
#include "common/hide_token.h"
#include "common/read_file.h"
#include "hint.h"
#include "own_files.h"

namespace cursor_chat {
namespace {

// Slow enough to see an answer of the stand-in stream.
constexpr std::chrono::milliseconds kLocalWordInterval{20};

absl::StatusOr<cursorwire::ClientOptions> MakeClientOptions(
    const Options& options, const std::optional<cursorwire::LocalUpstream>& local,
    const ClientParts& parts) {
  absl::StatusOr<cursorwire::connect::ChannelOptions> channel = MakeChannelOptions(options);
  if (!channel.ok()) return channel.status();
  cursorwire::ClientOptions client{.endpoint = options.endpoint,
                                   .api_endpoint = options.api_endpoint,
                                   .channel = *std::move(channel),
                                   .client_version = options.client_version,
                                   .heartbeat_interval = options.heartbeat,
                                   .trace = options.trace};
  if (options.any_silence) client.watchdog.idle_timeout = {};
  if (options.retries >= 0) {
    client.retry.max_retries = options.retries;
    client.retry.retry_first_connection = true;  // who asks for retries waits for them
  }
  if (local) {
    client.endpoint = local->url();
    client.api_endpoint = local->url();
    client.channel.tls.ca_pem = local->ca_pem();
    client.token = "local";
  } else if (parts.login != nullptr) {
    client.token_source = parts.login;
  } else {
    absl::StatusOr<std::shared_ptr<cursorwire::Credentials>> credentials = FindCredentials(options);
    if (!credentials.ok()) return credentials.status();
    client.token_source = *std::move(credentials);
  }
  // Without a workspace no actions are served, and the agent is told of no folder.
  client.exec_handler = parts.workspace;
  client.query_handler = parts.queries;
  client.channel.interceptors = parts.interceptors;
  return client;
}

}  // namespace

absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> OpenWorkspace(
    const Options& options, const cursorwire::ActionPolicy& policy) {
  if (options.workspace.empty() || !options.allow.read) return nullptr;
  std::vector<std::string> code_files = options.own_files->paths;
  const auto servers = options.own_files->servers.ServersOf(options.workspace);
  if (!servers.ok()) return servers.status();
  if (absl::Status status = cursor_apps::AddCodeFiles(*servers, code_files); !status.ok()) {
    return status;
  }
  return cursorwire::LocalExecHandler::Create(
      options.workspace, {.policy = policy,
                          .code_files = std::move(code_files),
                          .sandbox = cursor_apps::SandboxFor(options.allow, options.sandbox),
                          .variables = options.variables});
}

absl::StatusOr<cursorwire::connect::ChannelOptions> MakeChannelOptions(const Options& options) {
  cursorwire::connect::ChannelOptions channel{
      .proxy = options.proxy, .http2 = {.connect_timeout = options.connect_timeout}};
  if (options.ca_file.empty()) return channel;
  absl::StatusOr<std::string> pem = cursor_apps::ReadCertificates(options.ca_file);
  if (!pem.ok()) return pem.status();
  channel.tls.ca_pem = *std::move(pem);
  return channel;
}

absl::StatusOr<std::shared_ptr<cursorwire::Credentials>> FindCredentials(const Options& options) {
  absl::StatusOr<cursorwire::connect::ChannelOptions> channel = MakeChannelOptions(options);
  if (!channel.ok()) return channel.status();
  auto login = cursor_apps::FindCredentials({.places = options.token_places,
                                             .endpoint = options.endpoint,
                                             .api_endpoint = options.api_endpoint,
                                             .channel = *std::move(channel)});
  if (login.ok() && options.logins != nullptr) options.logins->Add(*login);
  return login;
}

absl::StatusOr<cursorwire::Client> Connect(const Options& options,
                                           std::optional<cursorwire::LocalUpstream>& local,
                                           const ClientParts& parts, const std::stop_token& stop) {
  if (options.local && !local) {
    auto upstream = cursorwire::LocalUpstream::Start({.word_interval = kLocalWordInterval});
    if (!upstream.ok()) return upstream.status();
    local = *std::move(upstream);
  }
  auto client_options = MakeClientOptions(options, local, parts);
  if (!client_options.ok()) return client_options.status();
  auto client = cursorwire::Client::Create(*std::move(client_options), stop);
  if (!client.ok()) return WithHint(client.status());
  cursor_apps::HideTokens();
  return client;
}

}  // namespace cursor_chat
