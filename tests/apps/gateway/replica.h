#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_REPLICA_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_REPLICA_H_

#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "apps/gateway/loop_thread.h"
#include "gateway.h"
#include "http/http_server.h"
#include "state/sql_database.h"

namespace cursor_gateway {

// A gateway in this process, with a client and a clock of its own.
class Replica {
 public:
  ~Replica() { Stop(); }

  void StartBefore(const cursorwire::LocalUpstream& upstream, GatewayOptions options = {}) {
    const cursorwire::ClientOptions client_options{
        .endpoint = upstream.url(),
        .api_endpoint = upstream.url(),
        .token = "any-token-of-a-test",
        .channel = {.tls = {.ca_pem = upstream.ca_pem()}}};
    options.documents.make_client = [this, client_options](auto actions) {
      ++document_clients_;
      cursorwire::ClientOptions with_handlers = client_options;
      with_handlers.exec_handler = std::move(actions);
      return cursorwire::Client::Create(std::move(with_handlers));
    };
    auto client = cursorwire::Client::Create(client_options);
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
    thread_.Do([&] {
      gateway_ = std::make_unique<Gateway>(thread_.loop(), *client_, std::move(options));
      auto server = HttpServer::Listen(thread_.loop(), *gateway_, "127.0.0.1", 0);
      ASSERT_TRUE(server.ok()) << server.status();
      server_ = *std::move(server);
      port_ = server_->port();
    });
  }

  // For a state whose clocks are this gateway's.
  SqliteClocks Clocks() const {
    return {.ages = [this] { return SqliteClocks::Wall() + thread_.ahead(); },
            .claims = [this] { return SqliteClocks::Steady() + thread_.ahead(); }};
  }

  void Stop() {
    thread_.Do([this] {
      server_.reset();
      gateway_.reset();
    });
    client_.reset();
    // What the client posted at its end.
    thread_.Do([] {});
  }

  LoopThread thread_;
  std::optional<cursorwire::Client> client_;
  std::unique_ptr<Gateway> gateway_;
  std::shared_ptr<HttpServer> server_;
  uint16_t port_ = 0;
  std::atomic<int> document_clients_ = 0;  // that were made
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_REPLICA_H_
