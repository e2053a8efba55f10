#include "upstream.h"

#include <cursorwire/credentials.h>
#include <cursorwire/workspace.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <utility>

#include "api/concat.h"
#include "common/allow.h"
#include "common/find_credentials.h"
#include "common/hide_token.h"
#include "common/read_file.h"

namespace cursor_gateway {
namespace {

// For as many turns as the gateway has at most, running or parked, at a service that takes 100 on a
// connection.
constexpr int kMaxServiceConnections = 24;
constexpr std::chrono::seconds kMaxStreamWait{30};
// Slow enough to see an answer of the stand-in stream.
constexpr std::chrono::milliseconds kLocalWordInterval{20};

absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> OpenWorkspace(
    const Options& options, const std::vector<std::string>& code_files) {
  if (options.workspace.empty() || !options.allow.read) return nullptr;
  cursor_apps::Allow allow = options.allow;
  allow.ask = false;  // these APIs have no question
  const auto policy = [allow](const cursorwire::LocalAction& action,
                              const cursorwire::ActionContext&) {
    return cursor_apps::CheckAllowed(allow, action);
  };
  return cursorwire::LocalExecHandler::Create(
      options.workspace, {.policy = policy,
                          .code_files = code_files,
                          .sandbox = cursor_apps::SandboxFor(allow, options.sandbox),
                          .variables = options.variables});
}

// A token that is at hand, and later those of another source.
class KnownToken final : public cursorwire::TokenSource {
 public:
  KnownToken(cursorwire::AccessToken token, std::shared_ptr<cursorwire::TokenSource> source)
      : token_(std::move(token)), source_(std::move(source)) {}

  absl::StatusOr<cursorwire::AccessToken> GetToken(std::stop_token stop) override {
    if (!asked_.exchange(true)) return token_;
    return source_->GetToken(std::move(stop));
  }
  absl::StatusOr<cursorwire::AccessToken> ReplaceToken(const std::string& refused,
                                                       std::stop_token stop) override {
    return source_->ReplaceToken(refused, std::move(stop));
  }

 private:
  const cursorwire::AccessToken token_;
  const std::shared_ptr<cursorwire::TokenSource> source_;
  std::atomic<bool> asked_ = false;
};

// What a token says of its user is a stranger's: as JSON it stays on one line and moves no
// terminal.
void TellAccount(const cursorwire::Account& account) {
  const auto shown = [](const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  std::cerr << "cursor-gateway: login of "
            << (account.user.empty() ? "a user whom the token does not name" : shown(account.user))
            << ", from " << NameOf(account.place) << " " << shown(account.origin) << "\n";
}

absl::Status FindLogin(const Options& options, cursorwire::ClientOptions& client) {
  const auto credentials = cursor_apps::FindCredentials({.places = options.token_places,
                                                         .endpoint = options.endpoint,
                                                         .api_endpoint = options.api_endpoint,
                                                         .channel = client.channel});
  cursor_apps::HideTokens();
  if (!credentials.ok() || options.local) return credentials.status();
  absl::Status status;
  // The token first: for a key, only the service can tell whose it is.
  if (const auto token = (*credentials)->GetToken({}); !token.ok()) {
    status = token.status();
  } else if (const auto account = (*credentials)->account(); !account.ok()) {
    status = account.status();
  } else {
    TellAccount(*account);
    client.token = token->token;
    client.token_source = *credentials;
    return absl::OkStatus();
  }
  if (status.code() != absl::StatusCode::kUnauthenticated) return status;
  return absl::UnauthenticatedError(
      Concat(std::string(status.message()), "; --local needs no account"));
}

}  // namespace

cursorwire::ClientOptions Upstream::OptionsOfAnother() const {
  cursorwire::ClientOptions another = client_options;
  if (another.token_source != nullptr) {
    const cursorwire::AccessToken known{.token = another.token,
                                        .expires_at = cursorwire::ExpiryOf(another.token)};
    another.token_source = std::make_shared<KnownToken>(known, std::move(another.token_source));
  }
  return another;
}

absl::StatusOr<Upstream> Connect(const Options& options,
                                 const std::vector<std::string>& code_files) {
  cursorwire::ClientOptions client_options{.endpoint = options.endpoint,
                                           .api_endpoint = options.api_endpoint,
                                           .client_version = options.client_version};
  client_options.channel.proxy = options.proxy;
  // Turns that wait for their tools hold their streams, and many servers take 100 on a connection.
  client_options.channel.http2.max_connections = kMaxServiceConnections;
  client_options.channel.http2.stream_timeout = kMaxStreamWait;
  // Heartbeats are signs of life: the time of a whole turn bounds one that has nothing else.
  client_options.watchdog = {.idle_timeout = options.max_idle,
                             .heartbeats_only_timeout = std::chrono::milliseconds(0),
                             .in_flight_timeout = options.max_time};
  if (!options.ca_file.empty()) {
    absl::StatusOr<std::string> pem = cursor_apps::ReadCertificates(options.ca_file);
    if (!pem.ok()) return pem.status();
    client_options.channel.tls.ca_pem = *std::move(pem);
  }
  if (absl::Status status = FindLogin(options, client_options); !status.ok()) return status;
  std::optional<cursorwire::LocalUpstream> local;
  if (options.local) {
    auto started = cursorwire::LocalUpstream::Start({.word_interval = kLocalWordInterval});
    if (!started.ok()) return started.status();
    local = *std::move(started);
    client_options.endpoint = local->url();
    client_options.api_endpoint = local->url();
    client_options.channel.tls.ca_pem = local->ca_pem();
    client_options.token = "local";
  }
  absl::StatusOr<std::shared_ptr<cursorwire::LocalExecHandler>> workspace =
      OpenWorkspace(options, code_files);
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
