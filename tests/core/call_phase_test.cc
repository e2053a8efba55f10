// How a call ends: each cause in each phase, by the table and through a connection.
#include "core/call_phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cursorwire/connect/connection.h"
#include "support/frame_script.h"
#include "support/scripted.h"
#include "support/status_matchers.h"
#include "wire/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::core {
namespace {

using connect::CallEnd;
using connect::CallId;
using connect::CallOptions;
using connect::MessageView;
using test::EndStream;
using test::Envelope;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::kFlagEndStream;
using test::Scripted;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr uint32_t kWindow = 64 * 1024;
constexpr size_t kLargeBytes = 100'000;  // more than the window: whoever has it is paused

std::string Large() {
  return Envelope(wire::Gzip(std::string(kLargeBytes, '\0')), wire::kEnvelopeCompressed);
}

// What polling one call gave until nothing more came.
struct Polled {
  std::vector<size_t> messages{};  // their sizes
  std::vector<absl::Status> ends{};
};

// A connection with one call that is looked at, and what may have been done before.
struct Scene {
  Scripted peer{
      {.credit_return = connect::CreditReturn::kManual, .http2 = {.stream_window_bytes = kWindow}}};
  CallId call = 0;

  Polled Poll() {
    Polled polled;
    while (auto event = peer.connection().PollEvent()) {
      if (event->call != call) continue;
      if (const auto* message = std::get_if<MessageView>(&event->what)) {
        polled.messages.push_back(message->bytes.size());
      } else if (auto* end = std::get_if<CallEnd>(&event->what)) {
        polled.ends.push_back(end->status);
      }
    }
    return polled;
  }

  void StartStreaming() { call = peer.Start(test::Streaming({.timeout = 5s})); }
  void Answer(const std::string& body, uint8_t flags = 0) {
    peer.Take();
    peer.ReceivePreface();
    peer.Receive(peer.server().Headers(1, test::kStreamingGzipOk));
    peer.Receive(FrameScript::Data(1, body, flags));
  }
};

struct PhaseCase {
  CallPhase phase;
  std::function<void(Scene&)> prepare;
  // The sizes of the messages that are handed out without any help of the user, if what waits is
  // not dropped.
  std::vector<size_t> waiting{};
};

const std::array<PhaseCase, kCallPhases>& PhaseCases() {
  static const std::array<PhaseCase, kCallPhases> kCases = {{
      {CallPhase::kPrepared,
       [](Scene& s) {
         s.peer.ReceivePreface();
         s.call = s.peer.Start(test::Unary({.timeout = 5s}));
       }},
      {CallPhase::kQueued,
       [](Scene& s) {
         s.peer.ReceivePreface();
         s.peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
         s.peer.Start(test::Streaming());
         s.peer.Take();
         s.StartStreaming();
         EXPECT_THAT(s.peer.connection().Send(s.call, "waits"), test::IsOk());
         EXPECT_THAT(s.peer.Take(), IsEmpty());
       }},
      {CallPhase::kOpen,
       [](Scene& s) {
         s.StartStreaming();
         s.Answer(Envelope("m"));
       },
       {1}},
      {CallPhase::kPaused,
       [](Scene& s) {
         s.StartStreaming();
         s.Answer(Large() + Large());
         EXPECT_THAT(s.Poll().messages, ElementsAre(kLargeBytes));
       }},
      {CallPhase::kLingering,
       [](Scene& s) {
         s.StartStreaming();
         s.Answer(Envelope("m") + EndStream());
         EXPECT_THAT(s.Poll().messages, ElementsAre(1u));
       }},
      {CallPhase::kComplete,
       [](Scene& s) {
         s.StartStreaming();
         s.Answer(Envelope("m") + EndStream(), kFlagEndStream);
       },
       {1}},
      {CallPhase::kCompletePaused,
       [](Scene& s) {
         s.StartStreaming();
         s.Answer(Large() + Large() + EndStream(), kFlagEndStream);
         EXPECT_THAT(s.Poll().messages, ElementsAre(kLargeBytes));
       }},
      {CallPhase::kDropped,
       [](Scene& s) {
         s.StartStreaming();
         s.Answer(Envelope("m"));
         s.peer.connection().Cancel(s.call);
       }},
  }};
  return kCases;
}

struct CauseCase {
  EndCause cause;
  std::function<void(Scene&)> happens;
  absl::StatusCode code;
};

const std::vector<CauseCase>& CauseCases() {
  static const std::vector<CauseCase> kCases = {
      {EndCause::kCancelled, [](Scene& s) { s.peer.connection().Cancel(s.call); },
       absl::StatusCode::kCancelled},
      {EndCause::kClosed, [](Scene& s) { s.peer.connection().Close(); },
       absl::StatusCode::kCancelled},
      {EndCause::kDeadline, [](Scene& s) { s.peer.Advance(10s); },
       absl::StatusCode::kDeadlineExceeded},
      {EndCause::kRefused, [](Scene& s) { s.peer.Receive(FrameScript::GoAway(0x7fffffff, 0)); },
       absl::StatusCode::kUnavailable},
      {EndCause::kLost, [](Scene& s) { s.peer.connection().ReceiveEof(s.peer.now()); },
       absl::StatusCode::kUnavailable},
  };
  return kCases;
}

// The end that a phase knows by itself.
absl::StatusCode KnownEnd(CallPhase phase) {
  return phase == CallPhase::kDropped ? absl::StatusCode::kCancelled : absl::StatusCode::kOk;
}

bool KnowsItsEnd(CallPhase phase) {
  return phase == CallPhase::kLingering || phase == CallPhase::kComplete ||
         phase == CallPhase::kCompletePaused || phase == CallPhase::kDropped;
}

// A GOAWAY that names a call that was sent leaves it alone.
bool Reaches(EndCause cause, CallPhase phase) {
  return cause != EndCause::kRefused || phase == CallPhase::kPrepared ||
         phase == CallPhase::kQueued;
}

TEST(CallPhase, EachCauseInEachPhaseDoesWhatTheTableSays) {
  for (const PhaseCase& at : PhaseCases()) {
    for (const CauseCase& cause : CauseCases()) {
      if (!Reaches(cause.cause, at.phase)) continue;
      SCOPED_TRACE(std::string(NameOf(at.phase)) + ", " + std::string(NameOf(cause.cause)));
      Scene s;
      at.prepare(s);
      cause.happens(s);
      const EndAction action = ActionAt(at.phase, cause.cause);
      Polled polled = s.Poll();
      EXPECT_EQ(polled.messages, action == EndAction::kDrop ? std::vector<size_t>() : at.waiting);
      if (action == EndAction::kIgnore && at.phase == CallPhase::kCompletePaused) {
        EXPECT_THAT(polled.ends, IsEmpty());
        s.peer.connection().ReleaseCredit(s.call, kLargeBytes);
        EXPECT_THAT(s.Poll().messages, ElementsAre(kLargeBytes));
        s.peer.connection().ReleaseCredit(s.call, kLargeBytes);
        polled = s.Poll();
      }
      const bool known = KnowsItsEnd(at.phase) && action != EndAction::kDrop;
      EXPECT_THAT(polled.ends, ElementsAre(StatusIs(known ? KnownEnd(at.phase) : cause.code)));
      s.peer.connection().ReleaseCredit(s.call, 1'000'000);
      s.peer.connection().Cancel(s.call);
      s.peer.Advance(1h);
      EXPECT_THAT(s.Poll().ends, IsEmpty());
    }
  }
}

// Nothing of a call that was never sent leaves later, whatever ended it; and its end says that it
// may be made again.
TEST(CallPhase, WhatWaitedToBeSentIsNeverSentBehindItsEnd) {
  for (const PhaseCase& at : {PhaseCases()[0], PhaseCases()[1]}) {
    for (const CauseCase& cause : CauseCases()) {
      SCOPED_TRACE(std::string(NameOf(at.phase)) + ", " + std::string(NameOf(cause.cause)));
      Scene s;
      at.prepare(s);
      s.peer.Take();
      cause.happens(s);
      const Polled polled = s.Poll();
      ASSERT_EQ(polled.ends.size(), 1u);
      EXPECT_TRUE(test::InfoOf(polled.ends[0]).replay_safe) << polled.ends[0];
      s.peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 100}}));
      for (const Frame& frame : s.peer.Take()) {
        EXPECT_NE(frame.type, FrameType::kHeaders);
        EXPECT_NE(frame.type, FrameType::kData);
      }
    }
  }
}

TEST(CallPhase, OnlyAPhaseThatLingersEndsByItself) {
  for (const PhaseCase& at : PhaseCases()) {
    SCOPED_TRACE(NameOf(at.phase));
    const bool lingers = at.phase == CallPhase::kLingering;
    EXPECT_EQ(ActionAt(at.phase, EndCause::kLingerOver),
              lingers ? EndAction::kFinish : EndAction::kIgnore);
  }
  Scene s;
  PhaseCases()[4].prepare(s);
  s.peer.Advance(1s);
  EXPECT_THAT(s.Poll().ends, ElementsAre(test::IsOk()));
}

// Whoever gives up, or closes, hears of the end at once; nobody has to release anything for it.
TEST(CallPhase, GivingUpNeverWaitsForTheUser) {
  for (const PhaseCase& at : PhaseCases()) {
    for (const EndCause cause : {EndCause::kCancelled, EndCause::kClosed}) {
      SCOPED_TRACE(std::string(NameOf(at.phase)) + ", " + std::string(NameOf(cause)));
      if (at.phase == CallPhase::kDropped) continue;
      const EndAction lingers = EndAction::kFinish;  // nothing waits
      EXPECT_EQ(ActionAt(at.phase, cause),
                at.phase == CallPhase::kLingering ? lingers : EndAction::kDrop);
    }
  }
}

// What was released just before must not let the next message out in front of the end.
TEST(CallPhase, AReleaseJustBeforeTheEndChangesNothing) {
  for (const PhaseCase& at : {PhaseCases()[3], PhaseCases()[6]}) {
    for (const CauseCase& cause : {CauseCases()[0], CauseCases()[1]}) {
      SCOPED_TRACE(std::string(NameOf(at.phase)) + ", " + std::string(NameOf(cause.cause)));
      Scene s;
      at.prepare(s);
      s.peer.connection().ReleaseCredit(s.call, kLargeBytes);
      cause.happens(s);
      const Polled polled = s.Poll();
      EXPECT_THAT(polled.messages, IsEmpty());
      EXPECT_THAT(polled.ends, ElementsAre(StatusIs(absl::StatusCode::kCancelled)));
      EXPECT_EQ(s.peer.connection().active_calls(), s.call - 1);
    }
  }
}

TEST(CallPhase, ADeadlineEndsWhatIsPausedBehindIt) {
  for (const uint8_t flags : {uint8_t{0}, kFlagEndStream}) {
    SCOPED_TRACE(static_cast<int>(flags));
    Scene s;
    s.StartStreaming();
    s.Answer(Large() + Large() + EndStream(), flags);
    EXPECT_THAT(s.Poll().messages, ElementsAre(kLargeBytes));
    s.peer.connection().ReleaseCredit(s.call, kLargeBytes);
    s.peer.Advance(10s);
    EXPECT_THAT(s.Poll().messages, ElementsAre(kLargeBytes));
    s.peer.Advance(0s);
    EXPECT_THAT(s.Poll().ends, ElementsAre(StatusIs(absl::StatusCode::kDeadlineExceeded)));
  }
}

// HTTP's end came in time, and the user has not looked since.
TEST(CallPhase, ACompleteCallLingersNoMore) {
  Scene s;
  PhaseCases()[4].prepare(s);
  s.peer.Receive(FrameScript::Data(1, "", kFlagEndStream));
  s.peer.Advance(2s);
  EXPECT_THAT(s.Poll().ends, ElementsAre(test::IsOk()));
}

// The answer of a call is complete, then its connection is lost, then its owner closes.
TEST(CallPhase, CloseEndsTheCallsOfAConnectionThatIsDown) {
  Scene s;
  PhaseCases()[6].prepare(s);
  s.peer.connection().ReceiveEof(s.peer.now());
  EXPECT_THAT(s.Poll().ends, IsEmpty());
  s.peer.connection().Close();
  EXPECT_THAT(s.Poll().ends, ElementsAre(StatusIs(absl::StatusCode::kCancelled)));
  EXPECT_EQ(s.peer.connection().active_calls(), 0u);
}

}  // namespace
}  // namespace cursorwire::core
