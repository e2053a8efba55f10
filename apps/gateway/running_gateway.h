#ifndef CURSORWIRE_APPS_GATEWAY_RUNNING_GATEWAY_H_
#define CURSORWIRE_APPS_GATEWAY_RUNNING_GATEWAY_H_

#include <absl/status/status.h>
#include <cursorwire/client.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "gateway.h"
#include "http/event_loop.h"
#include "http/http_server.h"

namespace cursor_gateway {

// How long clients may take to read the error of a turn that was cancelled at the end of draining.
inline constexpr std::chrono::seconds kLastAnswers{2};

// A gateway with all that it is made of, in an order in which it can end: whatever other threads
// call back outlives them.
//
// Order: Start(), Run(). Drain() ends Run(); after that it is destroyed. All on one thread.
class RunningGateway {
 public:
  struct Parts {
    cursorwire::Client client;
    // Those of the options of the services, to be stopped at the end; nullptr: there are none.
    std::shared_ptr<cursorwire::mcp::Servers> servers{};
    GatewayOptions options{};
    std::string address = "127.0.0.1";
    uint16_t port = 0;
    std::chrono::milliseconds drain_time{60'000};
  };

  RunningGateway() = default;
  ~RunningGateway();
  RunningGateway(const RunningGateway&) = delete;
  RunningGateway& operator=(const RunningGateway&) = delete;

  EventLoop& loop() { return loop_; }
  Gateway& gateway() { return *gateway_; }
  uint16_t port() const { return server_->port(); }

  //   what HttpServer::Listen() says
  absl::Status Start(Parts parts);
  // Serves until a drain is over.
  void Run() { loop_.Run(); }
  // Takes no new requests, and lets answers end: for `drain_time`, then they end with an error, and
  // connections are closed kLastAnswers later. Then the state is written, for kLastWrites at most,
  // and servers are stopped. Call once, on the loop's thread.
  void Drain();

 private:
  void OnDrained();

  // Destroyed last: threads of the client, of servers and of the gateway post to it.
  EventLoop loop_;
  std::optional<cursorwire::Client> client_;  // turns and conversations of the gateway are its own
  std::shared_ptr<cursorwire::mcp::Servers> servers_;
  std::chrono::milliseconds drain_time_{0};
  std::unique_ptr<Gateway> gateway_;    // answers what the server was asked
  std::shared_ptr<HttpServer> server_;  // destroyed first: its connections leave their answers
  EventLoop::Timer drain_timer_;
  std::jthread stopper_;  // of the servers, which may take seconds
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_RUNNING_GATEWAY_H_
