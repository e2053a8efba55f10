#include "service.h"

#include <chrono>
#include <memory>
#include <utility>

#include "common/find_credentials.h"
#include "common/hide_token.h"
#include "refusing_handler.h"
#include "share.h"

namespace cursor_collab {
namespace {

constexpr std::chrono::milliseconds kLocalWordInterval{20};

}  // namespace

absl::StatusOr<Service> ConnectService(const Options& options, const std::string& refusal) {
  absl::StatusOr<cursorwire::connect::TlsOptions> tls = MakeTlsOptions(options);
  if (!tls.ok()) return tls.status();
  cursorwire::ClientOptions client{.endpoint = options.endpoint,
                                   .api_endpoint = options.api_endpoint};
  client.channel.tls = *std::move(tls);
  client.channel.proxy = options.proxy;
  if (!refusal.empty()) client.exec_handler = std::make_shared<RefusingHandler>(refusal);
  Service service;
  if (options.local) {
    auto local = cursorwire::LocalUpstream::Start({.word_interval = kLocalWordInterval});
    if (!local.ok()) return local.status();
    service.local = *std::move(local);
    client.endpoint = service.local->url();
    client.api_endpoint = service.local->url();
    client.channel.tls.ca_pem = service.local->ca_pem();
    client.token = "local";
  } else {
    auto login = cursor_apps::FindCredentials({.places = options.token_places,
                                               .endpoint = options.endpoint,
                                               .api_endpoint = options.api_endpoint,
                                               .channel = client.channel});
    if (!login.ok()) return login.status();
    client.token_source = *std::move(login);
  }
  auto made = cursorwire::Client::Create(std::move(client));
  if (!made.ok()) return made.status();
  service.client = *std::move(made);
  cursor_apps::HideTokens();
  return service;
}

}  // namespace cursor_collab
