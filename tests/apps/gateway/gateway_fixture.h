#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_FIXTURE_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_FIXTURE_H_

#include <cursorwire/local_upstream.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/gateway/raw_client.h"
#include "apps/gateway/replica.h"

namespace cursor_gateway {

// A gateway in front of a LocalUpstream. The gateway's clock can be put forward.
class GatewayFixture : public ::testing::Test, protected Replica {
 protected:
  ~GatewayFixture() override { Stop(); }

  void Start(cursorwire::LocalUpstreamOptions upstream = {}, GatewayOptions options = {}) {
    auto started = cursorwire::LocalUpstream::Start(std::move(upstream));
    ASSERT_TRUE(started.ok()) << started.status();
    upstream_ = *std::move(started);
    options.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_.push_back(line);
    };
    options.documents.log = options.log;
    StartBefore(*upstream_, std::move(options));
  }

  void Start(std::vector<cursorwire::Script> scripts) {
    cursorwire::LocalUpstreamOptions options;
    options.scripts = std::move(scripts);
    Start(std::move(options));
  }

  std::string Log() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& line : log_) all += line + "\n";
    return all;
  }

  std::optional<cursorwire::LocalUpstream> upstream_;

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;  // guarded by mutex_
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_FIXTURE_H_
