#ifndef CURSORWIRE_TESTS_SUPPORT_PAIR_H_
#define CURSORWIRE_TESTS_SUPPORT_PAIR_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cursorwire/connect/connection.h"
#include "tls/certificate_authority.h"
#include "tls/server_context.h"
#include "upstream/agent_service.h"
#include "upstream/script/script_queue.h"
#include "upstream/server/server_connection.h"
#include "upstream/server/violations.h"

namespace cursorwire::test {

// A time at which nothing in particular happens.
inline connect::TimePoint StartOfTime() { return connect::TimePoint() + std::chrono::hours(1000); }

// A server's certificate, and the authority that vouches for it. Made once for all tests.
struct TestIdentity {
  std::string ca_pem{};
  tls::ServerContext context;

  static const TestIdentity& Get() {
    static const TestIdentity* const identity = [] {
      auto authority = tls::CertificateAuthority::Create(std::chrono::system_clock::now(),
                                                         std::chrono::hours(24));
      // The second for those who reach it through a proxy.
      auto leaf = authority->Issue("DNS:localhost,DNS:ample.test");
      return new TestIdentity{authority->certificate_pem(), *tls::ServerContext::Create(*leaf)};
    }();
    return *identity;
  }
};

struct PairOptions {
  connect::Security security = connect::Security::kPlaintext;
  std::chrono::milliseconds word_interval{0};
  // Both directions arrive in pieces of at most this size.
  size_t piece_bytes = std::numeric_limits<size_t>::max();
  // The connection is lost behind this many bytes of the server.
  size_t cut_after_bytes = std::numeric_limits<size_t>::max();
  connect::ConnectionOptions client{};
  // What the server plays; nullptr: its assistant answers. It must outlive the Pair.
  upstream::ScriptQueue* runs = nullptr;
};

// The client core joined to the server core in memory, with a clock of its own. No port, no thread,
// no sleep.
class Pair {
 public:
  explicit Pair(PairOptions options = {})
      : options_(std::move(options)), service_(options_.word_interval, violations_, options_.runs) {
    const bool tls = options_.security == connect::Security::kTls;
    connect::ConnectionOptions client = options_.client;
    client.authority = "localhost:1234";
    client.security = options_.security;
    if (tls) client.tls.ca_pem = TestIdentity::Get().ca_pem;
    client_ = std::make_unique<connect::Connection>(client, now_);
    auto server =
        upstream::ServerConnection::Create(tls ? &TestIdentity::Get().context : nullptr, service_);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  connect::Connection& client() { return *client_; }
  connect::TimePoint now() const { return now_; }
  bool cut() const { return cut_; }
  size_t server_bytes() const { return server_bytes_; }
  std::vector<std::string> violations() const { return violations_.list(); }

  // Moves one piece each way; false if there was none.
  bool Step() {
    if (cut_) return false;
    bool moved = false;
    const std::string_view up = client_->PendingOutput().substr(0, options_.piece_bytes);
    if (!up.empty()) {
      moved = true;
      // What the client sends is never broken.
      const absl::Status status = server_->Receive(up, now_);
      EXPECT_TRUE(status.ok()) << status;
      client_->ConsumeOutput(up.size());
    }
    const std::string_view down = server_->PendingOutput().substr(
        0, std::min(options_.piece_bytes, options_.cut_after_bytes - server_bytes_));
    if (!down.empty()) {
      moved = true;
      server_bytes_ += down.size();
      client_->Receive(down, now_);
      server_->ConsumeOutput(down.size());
    }
    if (server_bytes_ == options_.cut_after_bytes) {
      cut_ = true;
      client_->ReceiveEof(now_);
      return true;
    }
    return moved;
  }

  // The clock moves on, and what is due on either side happens. Bytes move with Step().
  void Advance(std::chrono::milliseconds time) {
    now_ += time;
    client_->OnDeadline(now_);
    server_->OnDeadline(now_);
  }

  // When something is due next on either side.
  std::optional<connect::TimePoint> NextDeadline() const {
    const auto a = client_->NextDeadline();
    const auto b = server_->NextDeadline();
    return a && b ? std::min(*a, *b) : a ? a : b;
  }

 private:
  const PairOptions options_;
  connect::TimePoint now_ = StartOfTime();
  upstream::Violations violations_;
  upstream::AgentService service_;
  std::unique_ptr<connect::Connection> client_;
  std::unique_ptr<upstream::ServerConnection> server_;
  size_t server_bytes_ = 0;
  bool cut_ = false;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_PAIR_H_
