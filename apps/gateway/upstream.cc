#include "upstream.h"

#include <cursorwire/local_exec_handler.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "common/allow.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

// Slow enough to see an answer of the stand-in stream.
constexpr std::chrono::milliseconds kLocalWordInterval{20};

absl::StatusOr<std::string> ReadCertificates(const std::string& file) {
  std::ifstream stream(file);
  std::string pem{std::istreambuf_iterator<char>(stream), {}};
  if (pem.empty()) return absl::InvalidArgumentError(Concat("cannot read ", file));
  return pem;
}

absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> OpenWorkspace(
    const Options& options) {
  if (options.workspace.empty() || !options.allow.read) return nullptr;
  const auto policy = [allow = options.allow](const cursorwire::LocalAction& action,
                                              const std::stop_token&) {
    return cursor_apps::CheckAllowed(allow, action);
  };
  return cursorwire::LocalExecHandler::Create(options.workspace, {.policy = policy});
}

}  // namespace

absl::StatusOr<Upstream> Connect(const Options& options, const std::string& token) {
  cursorwire::ClientOptions client_options{
      .endpoint = options.endpoint, .api_endpoint = options.api_endpoint, .token = token};
  // Heartbeats are signs of life: the time of a whole turn bounds one that has nothing else.
  client_options.watchdog = {.idle_timeout = options.max_idle,
                             .heartbeats_only_timeout = std::chrono::milliseconds(0),
                             .in_flight_timeout = options.max_time};
  if (!options.ca_file.empty()) {
    absl::StatusOr<std::string> pem = ReadCertificates(options.ca_file);
    if (!pem.ok()) return pem.status();
    client_options.channel.tls.ca_pem = *std::move(pem);
  }
  std::optional<cursorwire::LocalUpstream> local;
  if (options.local) {
    auto started = cursorwire::LocalUpstream::Start({.word_interval = kLocalWordInterval});
    if (!started.ok()) return started.status();
    local = *std::move(started);
    client_options.endpoint = local->url();
    client_options.api_endpoint = local->url();
    client_options.channel.tls.ca_pem = local->ca_pem();
    client_options.token = "local";
  } else if (token.empty()) {
    return absl::UnauthenticatedError(
        "no access token: set the environment variable CURSOR_ACCESS_TOKEN, or use --local");
  }
  absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> workspace = OpenWorkspace(options);
  if (!workspace.ok()) return workspace.status();
  cursorwire::ClientOptions with_workspace = client_options;
  with_workspace.exec_handler = *std::move(workspace);
  absl::StatusOr<cursorwire::Client> client = cursorwire::Client::Create(std::move(with_workspace));
  if (!client.ok()) return client.status();
  return Upstream{.local = std::move(local),
                  .client_options = std::move(client_options),
                  .client = *std::move(client)};
}

}  // namespace cursor_gateway
