#include "channel/loop/sibling_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "cursorwire/connect/channel.h"
#include "support/patience.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::connect::internal {
namespace {

using test::StatusIs;
using test::TestServer;
using test::WaitFor;

// Says when each of its functions was called first.
class Listener final : public CallObserver {
 public:
  void OnStart(const Call& call) override { started.set_value(call); }
  void OnMessage(const MessageView&) override {}
  void OnAlarm(TimePoint) override { alarmed.set_value(); }
  void OnWake(TimePoint) override { woken.set_value(); }
  void OnEnd(CallEnd end) override { ended.set_value(std::move(end.status)); }

  std::promise<Call> started;
  std::promise<void> alarmed;
  std::promise<void> woken;
  std::promise<absl::Status> ended;
};

class SiblingCall : public ::testing::Test {
 protected:
  SiblingCall() : channel_(server_.Connect()) {
    const auto listener = std::make_shared<Listener>();
    call_ = channel_->Start({.path = "/never", .kind = CallKind::kStreaming}, listener);
    auto ended = listener->ended.get_future();
    call_.Cancel();
    (void)WaitFor(ended);
  }

  TestServer server_;
  std::optional<Channel> channel_;
  Call call_;  // that has ended
};

TEST_F(SiblingCall, IsACallAsOthers) {
  const auto listener = std::make_shared<Listener>();
  auto ended = listener->ended.get_future();
  const Call call = StartSibling(call_, {.path = "/echo", .kind = CallKind::kStreaming}, listener);
  call.CloseSend();
  EXPECT_THAT(WaitFor(ended), test::IsOk());
}

TEST_F(SiblingCall, IsATimerAndAMailboxWhereItIsHeld) {
  const auto listener = std::make_shared<Listener>();
  auto started = listener->started.get_future();
  auto alarmed = listener->alarmed.get_future();
  auto woken = listener->woken.get_future();
  auto ended = listener->ended.get_future();
  const Call call = HoldSibling(call_, listener);
  (void)WaitFor(started);
  call.SetAlarm(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
  WaitFor(alarmed);
  call.Wake();
  WaitFor(woken);
  (void)call.Send("x");  // reaches nobody, whether it is taken or not: see the requests below
  call.Cancel();
  EXPECT_THAT(WaitFor(ended), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_LE(server_.stats().requests, 1);  // the first alone, if it left
}

TEST_F(SiblingCall, EndsWithItsChannel) {
  const auto listener = std::make_shared<Listener>();
  auto started = listener->started.get_future();
  auto ended = listener->ended.get_future();
  const Call call = HoldSibling(call_, listener);
  (void)WaitFor(started);
  channel_.reset();
  EXPECT_THAT(WaitFor(ended), StatusIs(absl::StatusCode::kCancelled));

  // One that comes too late ends at once.
  for (const bool held : {true, false}) {
    const auto late = std::make_shared<Listener>();
    auto late_end = late->ended.get_future();
    if (held) {
      HoldSibling(call_, late);
    } else {
      StartSibling(call_, {.path = "/echo", .kind = CallKind::kStreaming}, late);
    }
    EXPECT_THAT(WaitFor(late_end), StatusIs(absl::StatusCode::kCancelled));
  }
}

}  // namespace
}  // namespace cursorwire::connect::internal
