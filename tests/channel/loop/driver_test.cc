// The loop of a channel with a resolver of the test.
#include "channel/loop/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/addresses.h"
#include "support/errors.h"
#include "support/patience.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect::internal {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using net::Address;
using test::Ipv4;
using test::IsOk;
using test::RecordingObserver;
using test::RefusingAddress;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

// The name is never asked for: the resolver is the test's.
const Url kLocalhost = {.https = false, .host = "localhost", .port = 1};

int PortOf(const TestServer& server) { return ParseUrl(server.url())->port; }

// A driver, which a Channel would stop.
class RunningDriver {
 public:
  RunningDriver(const net::Resolver& resolver, ChannelOptions options = {})
      : driver_(*Driver::Start(kLocalhost, std::move(options), resolver)) {}
  explicit RunningDriver(std::vector<Address> addresses, ChannelOptions options = {})
      : RunningDriver([addresses](const std::string&, int) { return addresses; },
                      std::move(options)) {}
  ~RunningDriver() { Stop(); }

  void Stop() {
    if (driver_ != nullptr) std::exchange(driver_, nullptr)->Stop();
  }
  // One call that echoes nothing.
  std::shared_ptr<RecordingObserver> Start(std::string path = "/echo") {
    const auto observer = std::make_shared<RecordingObserver>();
    driver_->StartCall(StreamingRequest(std::move(path)), observer).CloseSend();
    return observer;
  }

 private:
  std::shared_ptr<Driver> driver_;
};

TEST(Driver, FallsBackToTheAddressThatAnswers) {
  const TestServer server;
  const test::MuteListener mute;
  const Address there = Ipv4(PortOf(server));
  const std::vector<Address> cases[] = {
      {there},
      {RefusingAddress(), there},
      {there, RefusingAddress()},
      {mute.address(), there},
      {RefusingAddress(), mute.address(), RefusingAddress(), there},
  };
  int accepted = 0;
  for (const std::vector<Address>& addresses : cases) {
    SCOPED_TRACE(++accepted);
    RunningDriver driver(addresses);
    EXPECT_THAT(driver.Start()->AwaitEnd(), IsOk());
    EXPECT_THAT(driver.Start()->AwaitEnd(), IsOk());
    EXPECT_EQ(server.stats().accepted, accepted);
  }
}

TEST(Driver, TellsHowManyAddressesWereTried) {
  RunningDriver driver({RefusingAddress(), RefusingAddress(), RefusingAddress()});
  const absl::Status status = driver.Start()->AwaitEnd();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                               "connect to localhost:1: tried 3 addresses: connection refused"));
  EXPECT_TRUE(GetErrorInfo(status)->replay_safe);
}

TEST(Driver, TheConnectTimeoutHoldsForAllAddressesTogether) {
  const test::MuteListener mute;
  RunningDriver driver({mute.address(), mute.address(), mute.address()},
                       {.http2 = {.connect_timeout = 100ms}});
  const absl::Status status = driver.Start()->AwaitEnd();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("100 ms")));
  EXPECT_TRUE(GetErrorInfo(status)->replay_safe);
}

TEST(Driver, PlaintextGoesToNoOtherMachine) {
  const TestServer server;
  const Address other = Ipv4(PortOf(server), 0xC0000201);  // 192.0.2.1, RFC 5737
  EXPECT_THAT(
      RunningDriver({other}).Start()->AwaitEnd(),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("not an address of this machine")));
  EXPECT_THAT(RunningDriver({other, Ipv4(PortOf(server))}).Start()->AwaitEnd(), IsOk());
}

// A failure to connect is the answer: another attempt would only take as long again.
TEST(Driver, AsksTheResolverOnceForACallThatFindsNoConnection) {
  const auto asked = std::make_shared<std::atomic<int>>(0);
  const auto resolver = [asked](const std::string&, int) -> absl::StatusOr<std::vector<Address>> {
    if (++*asked % 2 == 1) return TransportError("no address for it", Replay::kSafe);
    return std::vector<Address>{RefusingAddress()};
  };
  RunningDriver driver(resolver);
  for (int i = 1; i <= 4; ++i) {
    const absl::Status status = driver.Start()->AwaitEnd();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_TRUE(GetErrorInfo(status)->replay_safe);
    EXPECT_EQ(*asked, i);
  }
}

TEST(Driver, StoppingItDoesNotWaitForTheResolver) {
  std::promise<void> asked;
  std::promise<void> answer;
  RunningDriver driver([&asked, go_on = answer.get_future().share()](
                           const std::string&, int) -> absl::StatusOr<std::vector<Address>> {
    asked.set_value();
    test::WaitFor(go_on);
    return std::vector<Address>{};
  });
  const auto observer = driver.Start();
  test::WaitFor(asked.get_future());
  driver.Stop();
  EXPECT_EQ(observer->lines().Get().back(), "end CANCELLED");
  answer.set_value();
}

}  // namespace
}  // namespace cursorwire::connect::internal
