#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_HTTP_SERVER_FIXTURE_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_HTTP_SERVER_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include "apps/gateway/loop_thread.h"
#include "apps/gateway/raw_client.h"
#include "http/http_server.h"
#include "support/status_matchers.h"

namespace cursor_gateway {

// An HttpServer in front of a handler that keeps requests for "/keep" in its promise `kept`.
template <typename Handler>
class HttpServerFixture : public ::testing::Test {
 protected:
  HttpServerFixture() {
    thread_.Do([this] {
      auto server = HttpServer::Listen(thread_.loop(), handler_, "127.0.0.1", 0);
      ASSERT_THAT(server, cursorwire::test::IsOk());
      server_ = *std::move(server);
      port_ = server_->port();
    });
  }
  ~HttpServerFixture() override {
    thread_.Do([this] {
      kept_.reset();
      server_.reset();
    });
  }

  // The exchange of a client that asked for "/keep".
  HttpExchange& Kept() {
    kept_ = handler_.kept.get_future().get();
    return *kept_;
  }
  size_t Connections() {
    size_t connections = 0;
    thread_.Do([&] { connections = server_->connections(); });
    return connections;
  }

  Handler handler_;
  LoopThread thread_;
  std::shared_ptr<HttpServer> server_;
  std::shared_ptr<HttpExchange> kept_;
  uint16_t port_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_HTTP_SERVER_FIXTURE_H_
