// Compressed messages may be a thousand times as large as what came, and to hold an empty message
// costs far more than its five bytes, so that the receive window does not bound either: a call
// whose user does not release what it was given is paused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "cursorwire/connect/connection.h"
#include "support/errors.h"
#include "support/frame_script.h"
#include "support/heap_bytes.h"
#include "support/scripted.h"
#include "support/status_matchers.h"
#include "wire/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::connect {
namespace {

using absl::StatusCode;
using test::EndStream;
using test::Envelope;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::kFlagEndStream;
using test::PeakHeapBytes;
using test::ResetPeakHeapBytes;
using test::Scripted;
using test::StatusIs;
using test::Streaming;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

constexpr uint32_t kPausedWindow = 64 * 1024;
constexpr size_t kMessageBytes = 40'000;
constexpr size_t kBombs = 30;

const ConnectionOptions kManual = {
    .credit_return = CreditReturn::kManual,
    .http2 = {.stream_window_bytes = kPausedWindow, .unused_timeout = {}}};

// An envelope of a few bytes that holds `size` zeros.
std::string Bomb(size_t size = kMessageBytes) {
  return Envelope(wire::Gzip(std::string(size, '\0')), wire::kEnvelopeCompressed);
}

// What the poll of a call gave, in short.
struct Polled {
  std::vector<size_t> messages{};  // their sizes
  size_t credit = 0;               // of all of them
  std::vector<absl::Status> ends{};
};

// A call that has received its head and, within one window, bombs of 30 times that.
class PausedCall : public ::testing::Test {
 protected:
  explicit PausedCall(const ConnectionOptions& options = kManual) : peer_(options) {}

  void StartAndFill(CallOptions options = {}, std::string_view behind = "", uint8_t flags = 0) {
    StartCallAndFill(Streaming(std::move(options)), behind, flags);
  }
  void StartCallAndFill(const CallRequest& request, std::string_view behind = "",
                        uint8_t flags = 0) {
    call_ = peer_.Start(request);
    peer_.Take();
    peer_.ReceivePreface();
    peer_.Receive(peer_.server().Headers(1, test::kStreamingGzipOk));
    std::string bytes;
    for (size_t i = 0; i < kBombs; ++i) bytes += Bomb();
    bytes += behind;
    ASSERT_LE(bytes.size(), 16'384u) << "more than a frame";
    peer_.Receive(FrameScript::Data(1, bytes, flags));
  }

  Polled Poll() {
    Polled polled;
    while (auto event = peer_.connection().PollEvent()) {
      if (const auto* message = std::get_if<MessageView>(&event->what)) {
        polled.messages.push_back(message->bytes.size());
        polled.credit += message->credit;
      } else if (auto* end = std::get_if<CallEnd>(&event->what)) {
        polled.ends.push_back(end->status);
      }
    }
    return polled;
  }

  Scripted peer_;
  CallId call_ = 0;
};

TEST_F(PausedCall, GivesNoMoreThanTheWindowAndOneMessageUntilTheUserReleases) {
  StartAndFill();
  size_t given = 0;
  while (given < kBombs) {
    const Polled polled = Poll();
    EXPECT_THAT(polled.messages, AllOf(SizeIs(2), Each(kMessageBytes)));
    EXPECT_EQ(polled.credit, 2 * kMessageBytes);
    EXPECT_THAT(Poll().messages, IsEmpty());
    given += polled.messages.size();
    peer_.connection().ReleaseCredit(call_, polled.credit);
  }
  EXPECT_EQ(given, kBombs);
  EXPECT_THAT(Poll().messages, IsEmpty());
  EXPECT_EQ(peer_.connection().active_calls(), 1u);
}

TEST_F(PausedCall, GoesOnAsSoonAsLessThanAWindowIsHeld) {
  StartAndFill();
  EXPECT_THAT(Poll().messages, SizeIs(2));
  peer_.connection().ReleaseCredit(call_, 2 * kMessageBytes - kPausedWindow);
  EXPECT_THAT(Poll().messages, IsEmpty());
  peer_.connection().ReleaseCredit(call_, 1);
  EXPECT_THAT(Poll().messages, SizeIs(1));
}

TEST_F(PausedCall, HoldsOneDecompressedMessageAtATime) {
  const size_t before = ResetPeakHeapBytes();
  StartAndFill();
  const Polled polled = Poll();
  EXPECT_THAT(polled.messages, SizeIs(2));
  // 30 bombs would be more than a megabyte.
  EXPECT_LT(PeakHeapBytes(), before + 6 * size_t{kPausedWindow});
}

TEST_F(PausedCall, PausesBehindEachMessageThatIsLargerThanTheWindow) {
  call_ = peer_.Start(Streaming());
  peer_.Take();
  peer_.ReceivePreface();
  peer_.Receive(peer_.server().Headers(1, test::kStreamingGzipOk));
  peer_.Receive(FrameScript::Data(1, Bomb(1'000'000) + Bomb(2'000'000) + Envelope("plain")));
  EXPECT_THAT(Poll().messages, ElementsAre(1'000'000u));
  peer_.connection().ReleaseCredit(call_, 1'000'000);
  EXPECT_THAT(Poll().messages, ElementsAre(2'000'000u));
  peer_.connection().ReleaseCredit(call_, 2'000'000);
  EXPECT_THAT(Poll().messages, ElementsAre(5u));
}

// The deadline comes while nothing is handed out; what waits pauses the call after it.
TEST_F(PausedCall, EndsBehindItsDeadlineWithALastMessageToo) {
  CallRequest request = Streaming({.timeout = 200ms});
  request.message_at_deadline = "bye";
  StartCallAndFill(request);
  peer_.Advance(200ms);
  EXPECT_THAT(peer_.Take(FrameType::kData), SizeIs(1));
  const Polled given = Poll();
  EXPECT_THAT(given.messages, SizeIs(2));
  EXPECT_THAT(given.ends, IsEmpty());
  peer_.Advance(1ms);
  EXPECT_THAT(Poll().ends, ElementsAre(StatusIs(StatusCode::kDeadlineExceeded)));
  // The server has its second all the same.
  EXPECT_THAT(peer_.Take(FrameType::kRstStream), IsEmpty());
  peer_.Advance(999ms);
  EXPECT_THAT(peer_.Take(FrameType::kRstStream), SizeIs(1));
  EXPECT_EQ(peer_.connection().NextDeadline(), std::nullopt);
}

TEST_F(PausedCall, StopsNoOtherCall) {
  StartAndFill();
  const CallId other = peer_.Start(Streaming());
  peer_.Take();
  EXPECT_THAT(Poll().messages, SizeIs(2));
  peer_.Receive(peer_.server().Headers(3, test::kStreamingGzipOk));
  peer_.Receive(FrameScript::Data(3, Envelope("fine")));
  EXPECT_THAT(peer_.Events(), ElementsAre("2 head 200", "2 message fine"));
  EXPECT_NE(other, call_);
}

// Noise makes them fill the window also as they come.
TEST_F(PausedCall, GivesThePeerCreditForWhatCameWhenTheUserReleasesWhatItGrewTo) {
  call_ = peer_.Start(Streaming());
  peer_.Take();
  peer_.ReceivePreface();
  peer_.Receive(peer_.server().Headers(1, test::kStreamingGzipOk));
  std::string noise(1900, '\0');
  uint32_t state = 1;
  for (char& byte : noise) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  const std::string message = noise + std::string(kMessageBytes - noise.size(), '\0');
  std::string bytes;
  for (size_t i = 0; i < kBombs; ++i) {
    bytes += Envelope(wire::Gzip(message), wire::kEnvelopeCompressed);
  }
  ASSERT_GT(bytes.size(), kPausedWindow * 9 / 10);
  ASSERT_LE(bytes.size(), kPausedWindow);
  peer_.Receive(FrameScript::LongData(1, bytes));
  size_t given = 0;
  size_t credit = 0;  // of the stream, at the peer
  for (;;) {
    const Polled polled = Poll();
    for (const Frame& frame : peer_.Take(FrameType::kWindowUpdate)) {
      if (frame.stream_id == 1) credit += frame.first_word();
    }
    if (given == 0) {
      EXPECT_EQ(credit, 0u);
    }
    if (polled.messages.empty()) break;
    given += polled.messages.size();
    peer_.connection().ReleaseCredit(call_, polled.credit);
  }
  EXPECT_EQ(given, kBombs);
  EXPECT_GT(credit, kPausedWindow / 2);
  EXPECT_LE(credit, bytes.size());
}

TEST_F(PausedCall, CountsItsSilenceAsTheUsers) {
  StartAndFill({.idle_timeout = 1s});
  EXPECT_THAT(Poll().messages, SizeIs(2));
  peer_.Advance(5s);
  EXPECT_THAT(Poll().ends, IsEmpty());
}

TEST_F(PausedCall, EndsAfterItsMessagesWhenTheUserCatchesUp) {
  StartAndFill({}, EndStream(), kFlagEndStream);
  size_t given = 0;
  for (;;) {
    const Polled polled = Poll();
    given += polled.messages.size();
    if (!polled.ends.empty()) {
      EXPECT_THAT(polled.ends, ElementsAre(StatusIs(StatusCode::kOk)));
      break;
    }
    ASSERT_THAT(polled.messages, SizeIs(2));
    peer_.connection().ReleaseCredit(call_, polled.credit);
  }
  EXPECT_EQ(given, kBombs);
  EXPECT_EQ(peer_.connection().active_calls(), 0u);
}

// A reset is told after the messages that came before it, as of any call.
TEST_F(PausedCall, GivesWhatCameBeforeAReset) {
  StartAndFill();
  EXPECT_THAT(Poll().messages, SizeIs(2));
  peer_.Receive(FrameScript::RstStream(1, test::kInternalErrorCode));
  EXPECT_THAT(Poll().ends, IsEmpty());
  size_t given = 2;
  std::vector<absl::Status> ends;
  while (ends.empty()) {
    peer_.connection().ReleaseCredit(call_, 2 * kMessageBytes);
    const Polled polled = Poll();
    ASSERT_FALSE(polled.messages.empty() && polled.ends.empty());
    given += polled.messages.size();
    ends = polled.ends;
  }
  EXPECT_EQ(given, kBombs);
  EXPECT_THAT(ends, ElementsAre(StatusIs(StatusCode::kInternal)));
}

TEST_F(PausedCall, EndsAtOnceAndOnceFromOurSide) {
  const struct {
    const char* name;
    void (*end)(Scripted&, CallId);
    StatusCode code;
  } kEnds[] = {
      {"Cancel", [](Scripted& peer, CallId call) { peer.connection().Cancel(call); },
       StatusCode::kCancelled},
      {"deadline", [](Scripted& peer, CallId) { peer.Advance(2s); }, StatusCode::kDeadlineExceeded},
      {"Close", [](Scripted& peer, CallId) { peer.connection().Close(); }, StatusCode::kCancelled},
  };
  const struct {
    const char* name;
    std::string behind;
    uint8_t flags;
  } kReceived[] = {
      {"more may come", "", 0},
      {"the end-stream came", EndStream(), 0},
      {"the whole response came", EndStream(), kFlagEndStream},
  };
  for (const auto& end : kEnds) {
    SCOPED_TRACE(end.name);
    for (const auto& received : kReceived) {
      SCOPED_TRACE(received.name);
      peer_ = Scripted(kManual);
      StartAndFill({.timeout = 2s}, received.behind, received.flags);
      const Polled before = Poll();
      EXPECT_THAT(before.messages, SizeIs(2));
      EXPECT_THAT(before.ends, IsEmpty());
      end.end(peer_, call_);
      const Polled after = Poll();
      EXPECT_THAT(after.messages, IsEmpty());
      EXPECT_THAT(after.ends, ElementsAre(StatusIs(end.code)));
      EXPECT_EQ(peer_.connection().active_calls(), 0u);
      peer_.connection().ReleaseCredit(call_, before.credit);
      peer_.connection().Cancel(call_);
      peer_.Advance(10s);
      const Polled late = Poll();
      EXPECT_THAT(late.messages, IsEmpty());
      EXPECT_THAT(late.ends, IsEmpty());
    }
  }
}

TEST_F(PausedCall, EndsAtOnceWhenTheConnectionIsLost) {
  for (const std::string& behind : {std::string(), EndStream()}) {
    SCOPED_TRACE(behind.size());
    peer_ = Scripted(kManual);
    StartAndFill({}, behind);
    const Polled before = Poll();
    peer_.connection().ReceiveEof(peer_.now());
    const Polled after = Poll();
    EXPECT_THAT(after.messages, IsEmpty());
    EXPECT_THAT(after.ends, ElementsAre(StatusIs(StatusCode::kUnavailable)));
    peer_.connection().ReleaseCredit(call_, before.credit);
    const Polled late = Poll();
    EXPECT_THAT(late.messages, IsEmpty());
    EXPECT_THAT(late.ends, IsEmpty());
  }
}

// The response was complete before: the loss of the connection takes nothing of it.
TEST_F(PausedCall, KeepsACompleteResponseWhenTheConnectionIsLost) {
  StartAndFill({.timeout = 1h}, EndStream(), kFlagEndStream);
  Polled polled = Poll();
  peer_.connection().ReceiveEof(peer_.now());
  size_t given = polled.messages.size();
  std::vector<absl::Status> ends;
  while (ends.empty()) {
    peer_.connection().ReleaseCredit(call_, polled.credit);
    polled = Poll();
    ASSERT_FALSE(polled.messages.empty() && polled.ends.empty());
    given += polled.messages.size();
    ends = polled.ends;
  }
  EXPECT_EQ(given, kBombs);
  EXPECT_THAT(ends, ElementsAre(StatusIs(StatusCode::kOk)));
  EXPECT_EQ(peer_.connection().active_calls(), 0u);
}

TEST_F(PausedCall, EndsOnCancelBehindALostConnectionToo) {
  StartAndFill({}, EndStream(), kFlagEndStream);
  EXPECT_THAT(Poll().messages, SizeIs(2));
  peer_.connection().ReceiveEof(peer_.now());
  EXPECT_THAT(Poll().ends, IsEmpty());
  peer_.connection().Cancel(call_);
  EXPECT_THAT(Poll().ends, ElementsAre(StatusIs(StatusCode::kCancelled)));
  EXPECT_EQ(peer_.connection().active_calls(), 0u);
}

// --- small messages

constexpr size_t kSmallestCredit = 256;

// A window full of empty messages, and nothing else.
std::string EmptyMessages(size_t window) {
  std::string bytes;
  while (bytes.size() + 5 <= window) bytes += Envelope("");
  return bytes;
}

class SmallMessages : public PausedCall {
 protected:
  explicit SmallMessages(const ConnectionOptions& options = kManual) : PausedCall(options) {}

  void StartAndReceive(std::string_view bytes) {
    call_ = peer_.Start(Streaming());
    peer_.Take();
    peer_.ReceivePreface();
    peer_.Receive(peer_.server().Headers(1, test::kStreamingOk));
    peer_.Receive(FrameScript::LongData(1, bytes));
  }

  size_t TakeStreamCredit() {
    size_t credit = 0;
    for (const Frame& frame : peer_.Take(FrameType::kWindowUpdate)) {
      if (frame.stream_id == 1) credit += frame.first_word();
    }
    return credit;
  }
};

TEST_F(SmallMessages, CountAsMuchAsItCostsToHoldThem) {
  StartAndReceive(Envelope("") + Envelope(std::string(250, 'x')) + Envelope(std::string(251, 'x')) +
                  Envelope(std::string(252, 'x')));
  std::vector<size_t> credit;
  while (const auto event = peer_.connection().PollEvent()) {
    if (const auto* message = std::get_if<MessageView>(&event->what)) {
      credit.push_back(message->credit);
    }
  }
  EXPECT_THAT(credit, ElementsAre(kSmallestCredit, kSmallestCredit, kSmallestCredit, 257u));
}

TEST_F(SmallMessages, WaitUntilTheUserHasReleasedAWindow) {
  const std::string bytes = EmptyMessages(kPausedWindow);
  const size_t count = bytes.size() / 5;
  StartAndReceive(bytes);
  EXPECT_EQ(TakeStreamCredit(), 0u);
  size_t given = 0;
  size_t returned = 0;
  while (given < count) {
    const Polled polled = Poll();
    ASSERT_EQ(polled.messages.size(), std::min(count - given, kPausedWindow / kSmallestCredit));
    EXPECT_THAT(Poll().messages, IsEmpty());
    given += polled.messages.size();
    peer_.connection().ReleaseCredit(call_, polled.credit);
    returned += TakeStreamCredit();
    EXPECT_LE(returned, given * 5);
  }
  // nghttp2 tells the peer once half a window is due.
  EXPECT_GT(returned, kPausedWindow / 2);
  peer_.Receive(FrameScript::Data(1, Envelope("more") + EndStream(), kFlagEndStream));
  const Polled last = Poll();
  EXPECT_THAT(last.messages, ElementsAre(4u));
  EXPECT_THAT(last.ends, ElementsAre(StatusIs(StatusCode::kOk)));
}

// A server that sends little and often is never held up by a user who keeps up.
TEST_F(SmallMessages, GiveAllCreditBackInTheEnd) {
  StartAndReceive("");
  size_t sent = 0;
  size_t returned = 0;
  for (int i = 0; i < 40'000; ++i) {
    const std::string message = Envelope(std::string(static_cast<size_t>(i % 3), 'x'));
    peer_.Receive(FrameScript::Data(1, message));
    sent += message.size();
    peer_.connection().ReleaseCredit(call_, Poll().credit);
    returned += TakeStreamCredit();
    ASSERT_LE(sent - returned, size_t{kPausedWindow} / 2 + 16);
  }
}

TEST_F(SmallMessages, CountTheSameInARawCall) {
  call_ = peer_.Start({.path = "/raw", .kind = CallKind::kRaw});
  peer_.Take();
  peer_.ReceivePreface();
  peer_.Receive(peer_.server().Headers(1, test::kStreamingOk));
  size_t given = 0;
  for (int i = 0; i < 1000; ++i) {
    peer_.Receive(FrameScript::Data(1, "x"));
    given += Poll().messages.size();
  }
  EXPECT_EQ(given, kPausedWindow / kSmallestCredit);
}

class SmallMessagesInALargeWindow : public SmallMessages {
 protected:
  static constexpr uint32_t kLargeWindow = 1024 * 1024;
  SmallMessagesInALargeWindow()
      : SmallMessages({.credit_return = CreditReturn::kManual,
                       .http2 = {.stream_window_bytes = kLargeWindow}}) {}
};

TEST_F(SmallMessagesInALargeWindow, HoldFewWindowsOfMemory) {
  const std::string bytes = FrameScript::LongData(1, EmptyMessages(kLargeWindow));
  StartAndReceive("");
  const size_t before = ResetPeakHeapBytes();
  std::vector<std::string> held;
  peer_.Receive(bytes);
  while (const auto event = peer_.connection().PollEvent()) {
    if (const auto* message = std::get_if<MessageView>(&event->what)) {
      held.emplace_back(message->bytes);
    }
  }
  EXPECT_EQ(held.size(), kLargeWindow / kSmallestCredit);
  // The bytes themselves, while their buffer grows.
  EXPECT_LT(PeakHeapBytes(), before + 7 * size_t{kLargeWindow} / 2);
  EXPECT_LT(test::HeapBytes(), before + 5 * size_t{kLargeWindow} / 2);
}

class PolledCall : public PausedCall {
 protected:
  PolledCall() : PausedCall({.http2 = {.stream_window_bytes = kPausedWindow}}) {}
};

TEST_F(PolledCall, IsNeverPausedSinceItIsReleasedAsItIsPolled) {
  StartAndFill({}, EndStream(), kFlagEndStream);
  const Polled polled = Poll();
  EXPECT_THAT(polled.messages, SizeIs(kBombs));
  EXPECT_EQ(polled.credit, 0u);
  EXPECT_THAT(polled.ends, ElementsAre(StatusIs(StatusCode::kOk)));
}

}  // namespace
}  // namespace cursorwire::connect
