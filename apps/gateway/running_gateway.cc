#include "running_gateway.h"

#include <absl/status/statusor.h>

#include <utility>

#include "common/start_thread.h"

namespace cursor_gateway {

RunningGateway::~RunningGateway() {
  stopper_ = std::jthread();
  drain_timer_.reset();
  server_.reset();
  // Before the gateway, which functions that wait may hold parts of.
  loop_.Close();
}

absl::Status RunningGateway::Start(Parts parts) {
  client_ = std::move(parts.client);
  servers_ = std::move(parts.servers);
  drain_time_ = parts.drain_time;
  gateway_ = std::make_unique<Gateway>(loop_, *client_, std::move(parts.options));
  absl::StatusOr<std::shared_ptr<HttpServer>> server =
      HttpServer::Listen(loop_, *gateway_, parts.address, parts.port);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  return absl::OkStatus();
}

void RunningGateway::Drain() {
  gateway_->Drain();
  drain_timer_ = loop_.After(drain_time_, [this] {
    gateway_->EndTurns();
    drain_timer_ = loop_.After(kLastAnswers, [this] { server_->Close(); });
  });
  server_->Drain([this] { OnDrained(); });
}

void RunningGateway::OnDrained() {
  drain_timer_.reset();
  gateway_->WhenWritten([this] {
    const auto stop = [this] {
      if (servers_ != nullptr) servers_->Stop();
      loop_.Stop();
    };
    // Nobody waits for the loop any more.
    if (!cursor_apps::StartThread(stopper_, stop)) stop();
  });
}

}  // namespace cursor_gateway
