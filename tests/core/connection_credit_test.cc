#include "cursorwire/connect/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/frame_script.h"
#include "support/pair.h"
#include "support/scripted.h"

namespace cursorwire::connect {
namespace {

using test::Envelope;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::kStreamingOk;
using test::Scripted;
using test::Streaming;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Connection, CreditOfAnIncompleteMessageGoesBackAsItArrives) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 10'000}});
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  const std::string envelope = Envelope(std::string(50'000, 'x'));
  size_t window = 10'000;
  size_t sent = 0;
  while (sent < envelope.size()) {
    ASSERT_GT(window, 0u) << "the server is stuck at byte " << sent;
    const std::string piece = envelope.substr(sent, std::min<size_t>(window, 4000));
    peer.Receive(FrameScript::Data(1, piece));
    sent += piece.size();
    window -= piece.size();
    for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
      if (frame.stream_id == 1) window += frame.first_word();
    }
  }
  // The last piece is held until the message is done with.
  std::optional<MessageView> message;
  while (auto event = peer.connection().PollEvent()) {
    if (auto* view = std::get_if<MessageView>(&event->what)) {
      EXPECT_EQ(view->bytes.size(), 50'000u);
      message = *view;
    }
  }
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->credit, envelope.size());
  peer.connection().ReleaseCredit(call, message->credit);
}

// The credit that went back early for a large message is not given a second time for the next one.
TEST(Connection, UnreadMessagesNeverExceedOneMessageAndTheWindow) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 10'000}});
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  const std::string envelope = Envelope(std::string(49'995, 'x'));
  size_t window = 10'000;
  size_t sent = 0;
  const auto send_all = [&](size_t max_bytes) {
    while (window > 0 && sent < max_bytes) {
      const size_t at = sent % envelope.size();
      const std::string piece = envelope.substr(at, std::min<size_t>(window, 3000));
      peer.Receive(FrameScript::Data(1, piece));
      sent += piece.size();
      window -= piece.size();
      for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
        if (frame.stream_id == 1) window += frame.first_word();
      }
    }
  };
  send_all(1'000'000);
  EXPECT_GE(sent, envelope.size());
  EXPECT_LE(sent, envelope.size() + 10'000);
  peer.Events();
  // The user is done with the first, and the second comes.
  peer.connection().ReleaseCredit(call, envelope.size());
  for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
    if (frame.stream_id == 1) window += frame.first_word();
  }
  send_all(2 * envelope.size());
  EXPECT_GE(sent, 2 * envelope.size());
}

TEST(Connection, RefusesAWindowThatHttp2DoesNotAllow) {
  for (const uint32_t window : {0u, 0x80000000u}) {
    Scripted peer({.http2 = {.stream_window_bytes = window}});
    const CallId call = peer.Start(Streaming());
    EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Connection, CreditOfCompleteMessagesWaitsForTheUserAndStopsNoOtherCall) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 10'000}});
  const CallId slow = peer.Start(Streaming());
  peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(peer.server().Headers(3, kStreamingOk));
  for (int i = 0; i < 10; ++i) {
    peer.Receive(FrameScript::Data(1, Envelope(std::string(995, 'x'))));  // fills the window
  }
  peer.Events();
  for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
    EXPECT_NE(frame.stream_id, 1) << "credit that the user did not release";
  }
  // The other stream goes on.
  peer.Receive(FrameScript::Data(3, Envelope("fine")));
  EXPECT_THAT(peer.Events(), ElementsAre("2 message fine"));
  peer.connection().ReleaseCredit(slow, 10'000);
  const std::vector<Frame> updates = peer.Take(FrameType::kWindowUpdate);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].stream_id, 1);
  EXPECT_EQ(updates[0].first_word(), 10'000u);
  // No more than came in: a server must not be allowed more than the window.
  peer.connection().ReleaseCredit(slow, 10'000);
  EXPECT_THAT(peer.Take(FrameType::kWindowUpdate), IsEmpty());
}

TEST(Connection, AMessageOverTheLimitIsRefusedOnItsPrefix) {
  Scripted peer;
  const CallId call = peer.Start(Streaming({.max_receive_bytes = 100}));
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope(std::string(101, 'x')).substr(0, 5)));
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(peer.Take(FrameType::kRstStream).size(), 1u);
}

TEST(Connection, TellsWhenUnsentBytesHaveGoneOut) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  ASSERT_TRUE(peer.connection().Send(call, std::string(kSendHighWater + 1, 'x')).ok());
  peer.ReceivePreface();
  size_t sent = 0;
  for (const Frame& frame : peer.Take(FrameType::kData)) sent += frame.payload.size();
  EXPECT_EQ(sent, test::kInitialWindow);
  EXPECT_GT(peer.connection().unsent_bytes(call), kSendLowWater);
  EXPECT_THAT(peer.Events(), ElementsAre("up"));
  peer.Receive(FrameScript::WindowUpdate(0, 1 << 22) + FrameScript::WindowUpdate(1, 1 << 22));
  peer.Take();
  EXPECT_EQ(peer.connection().unsent_bytes(call), 0u);
  EXPECT_THAT(peer.Events(), ElementsAre("1 writable"));
}

}  // namespace
}  // namespace cursorwire::connect
