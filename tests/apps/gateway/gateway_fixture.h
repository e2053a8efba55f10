#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_FIXTURE_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_FIXTURE_H_

#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/gateway/loop_thread.h"
#include "apps/gateway/raw_client.h"
#include "gateway.h"
#include "http/http_server.h"

namespace cursor_gateway {

// A gateway in front of a LocalUpstream. The gateway's clock can be put forward.
class GatewayFixture : public ::testing::Test {
 protected:
  ~GatewayFixture() override { Stop(); }

  void Start(cursorwire::LocalUpstreamOptions upstream = {}, GatewayOptions options = {}) {
    auto started = cursorwire::LocalUpstream::Start(std::move(upstream));
    ASSERT_TRUE(started.ok()) << started.status();
    upstream_ = *std::move(started);
    const cursorwire::ClientOptions client_options{
        .endpoint = upstream_->url(),
        .api_endpoint = upstream_->url(),
        .token = "any-token-of-a-test",
        .channel = {.tls = {.ca_pem = upstream_->ca_pem()}}};
    options.documents.make_client = [client_options](auto actions, auto queries) {
      cursorwire::ClientOptions with_handlers = client_options;
      with_handlers.exec_handler = std::move(actions);
      with_handlers.query_handler = std::move(queries);
      return cursorwire::Client::Create(std::move(with_handlers));
    };
    auto client = cursorwire::Client::Create(client_options);
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
    options.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_.push_back(line);
    };
    options.documents.log = options.log;
    thread_.Do([&] {
      gateway_ = std::make_unique<Gateway>(thread_.loop(), *client_, std::move(options));
      auto server = HttpServer::Listen(thread_.loop(), *gateway_, "127.0.0.1", 0);
      ASSERT_TRUE(server.ok()) << server.status();
      server_ = *std::move(server);
      port_ = server_->port();
    });
  }

  void Start(std::vector<cursorwire::Script> scripts) {
    cursorwire::LocalUpstreamOptions options;
    options.scripts = std::move(scripts);
    Start(std::move(options));
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

  std::string Log() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& line : log_) all += line + "\n";
    return all;
  }

  LoopThread thread_;
  std::optional<cursorwire::LocalUpstream> upstream_;
  std::optional<cursorwire::Client> client_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<HttpServer> server_;
  uint16_t port_ = 0;

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;  // guarded by mutex_
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_FIXTURE_H_
