// Calls in any state, and whatever may end them, in any order: each ends once, and nothing follows.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/connect/connection.h"
#include "support/frame_script.h"
#include "support/scripted.h"
#include "support/sweep.h"
#include "wire/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::connect {
namespace {

using namespace std::chrono_literals;
using test::EndStream;
using test::Envelope;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::kFlagEndStream;
using test::Scripted;

constexpr uint32_t kWindow = 64 * 1024;
constexpr int kSteps = 120;

// What is known of one call.
struct Account {
  bool timed = false;  // has a timeout
  bool ended = false;
  bool safe = false;  // its end says that nothing of it was sent
  std::string why{};
  bool sent = false;     // its HEADERS came out
  bool refused = false;  // the server had them and said no
  size_t held = 0;
};

// One connection that lives through random steps.
class RandomLife {
 public:
  explicit RandomLife(uint32_t seed) : random_(seed) {
    peer_.ReceivePreface();
    for (int i = 0; i < kSteps; ++i) Step();
    PassDeadlines();
    peer_.connection().Close();
    Poll();
    Take();
    Poll();
  }

  void ExpectEachEndedOnce() {
    EXPECT_EQ(peer_.connection().active_calls(), 0u);
    for (const auto& [id, account] : calls_) {
      EXPECT_TRUE(account.ended) << "call " << id;
    }
  }

 private:
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }
  bool OneIn(uint32_t chance) { return Below(chance) == 0; }

  template <typename Map>
  auto Any(Map& map) {
    return std::next(map.begin(), Below(static_cast<uint32_t>(map.size())));
  }

  void Step() {
    switch (Below(12)) {
      case 0:
      case 1:
        return Start();
      case 2:
      case 3:
        return UseCall();
      case 4:
      case 5:
        return Take();
      case 6:
      case 7:
      case 8:
        return Answer();
      case 9:
        return Poll();
      case 10:
        peer_.Advance(std::chrono::milliseconds(Below(1500)));
        return;
      default:
        return Disturb();
    }
  }

  // After them a user who releases nothing has the end of each call that had a timeout.
  void PassDeadlines() {
    for (const auto time : {5000ms, 1500ms}) {
      peer_.Advance(time);
      Poll();
      EXPECT_FALSE(down_ && peer_.connection().has_last_messages());
      Take();
    }
    for (const auto& [id, account] : calls_) {
      EXPECT_TRUE(account.ended || !account.timed) << "call " << id << " is behind its deadline";
    }
  }

  void Start() {
    const bool unary = OneIn(4);
    CallRequest request{.path = "/call/" + std::to_string(calls_.size() + 1),
                        .kind = unary ? CallKind::kUnary : CallKind::kStreaming};
    if (OneIn(3)) request.options.timeout = std::chrono::milliseconds(1 + Below(4000));
    if (OneIn(5)) request.options.idle_timeout = std::chrono::milliseconds(1 + Below(2000));
    if (!unary && OneIn(2)) request.message_at_deadline = "bye";
    calls_.emplace(peer_.Start(request), Account{.timed = request.options.timeout > 0ms});
  }

  void UseCall() {
    if (calls_.empty()) return;
    const auto& [id, account] = *Any(calls_);
    switch (Below(6)) {
      case 0:
      case 1:
        (void)peer_.connection().Send(id, std::string(Below(3000), 'q'));
        return;
      case 2:
        return peer_.connection().CloseSend(id);
      case 3:
        return peer_.connection().Cancel(id);
      default:
        return peer_.connection().ReleaseCredit(id, std::exchange(calls_.at(id).held, 0));
    }
  }

  // What the client has to say; none of it may be of a call that was said never to be sent.
  void Take() {
    for (const Frame& frame : peer_.Take()) {
      if (frame.type != FrameType::kHeaders) continue;
      const auto path = frame.headers.Get(":path");
      ASSERT_TRUE(path.has_value());
      const CallId id = std::stoull(std::string(path->substr(path->rfind('/') + 1)));
      Account& account = calls_.at(id);
      // A server that went away takes none of these, and said so.
      const bool ignored = frame.stream_id > last_stream_;
      EXPECT_FALSE(account.ended && account.safe && !ignored)
          << "call " << id << " is sent after its end, " << account.why;
      account.sent = true;
      account.refused |= ignored;
      streams_.emplace(frame.stream_id, id);
    }
  }

  void Answer() {
    if (streams_.empty()) return;
    const auto entry = Any(streams_);
    const int32_t stream = entry->first;
    if (answered_.insert({stream, true}).second) {
      return peer_.Receive(peer_.server().Headers(stream, test::kStreamingGzipOk));
    }
    const std::string large =
        Envelope(wire::Gzip(std::string(70'000, '\0')), wire::kEnvelopeCompressed);
    std::string body;
    for (uint32_t i = Below(4); i > 0; --i) body += OneIn(2) ? large : Envelope("small");
    const bool ends = OneIn(3);
    if (ends) body += EndStream();
    const uint8_t flags = OneIn(3) ? kFlagEndStream : 0;
    peer_.Receive(FrameScript::Data(stream, body, flags));
    if (flags != 0 || ends) Forget(entry);
  }

  // The server says no more of a stream.
  void Forget(std::map<int32_t, CallId>::iterator entry) { streams_.erase(entry); }

  void Disturb() {
    switch (Below(9)) {
      case 0:
        return peer_.Receive(
            FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1 + Below(4)}}));
      case 1:
      case 2: {
        if (streams_.empty()) return;
        const auto entry = Any(streams_);
        calls_.at(entry->second).refused = true;
        peer_.Receive(FrameScript::RstStream(entry->first, OneIn(2) ? 7 : 2));
        return Forget(entry);
      }
      case 3: {
        if (!OneIn(3)) return;
        const int32_t last = streams_.empty() ? 0 : Any(streams_)->first;
        for (auto& [stream, id] : streams_) calls_.at(id).refused |= stream > last;
        std::erase_if(streams_, [last](const auto& entry) { return entry.first > last; });
        last_stream_ = std::min(last_stream_, last);
        return peer_.Receive(FrameScript::GoAway(last, 0));
      }
      case 4:
        if (OneIn(4)) peer_.connection().ReceiveEof(peer_.now());
        return;
      case 5:
        if (OneIn(4)) peer_.connection().Fail(absl::UnavailableError("reset"), peer_.now());
        return;
      case 6:
        if (OneIn(4)) peer_.connection().Close();
        return;
      default:
        // Two things at once, between which nobody looks.
        UseCall();
        return UseCall();
    }
  }

  void Poll() {
    while (auto event = peer_.connection().PollEvent()) {
      if (event->call == 0) {
        down_ |= std::holds_alternative<ConnectionDown>(event->what);
        continue;
      }
      Account& account = calls_.at(event->call);
      ASSERT_FALSE(account.ended) << "call " << event->call << " goes on after its end";
      if (const auto* message = std::get_if<MessageView>(&event->what)) {
        account.held += message->credit;
      } else if (const auto* end = std::get_if<CallEnd>(&event->what)) {
        account.ended = true;
        account.why = end->status.ToString();
        const auto info = GetErrorInfo(end->status);
        account.safe = info.has_value() && info->replay_safe;
        EXPECT_FALSE(account.safe && account.sent && !account.refused)
            << "call " << event->call << " was sent: " << end->status;
      }
    }
  }

  std::mt19937 random_;
  Scripted peer_{
      {.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = kWindow}}};
  std::map<CallId, Account> calls_;
  std::map<int32_t, CallId> streams_;  // that the server may still answer
  std::map<int32_t, bool> answered_;
  bool down_ = false;
  int32_t last_stream_ = 0x7fffffff;  // of GOAWAY
};

TEST(RandomEnds, EachCallEndsOnceInWhateverState) {
  const size_t stride = test::SweepStride(100);
  for (uint32_t seed = 0; seed < 50'000 && !HasFailure(); seed += static_cast<uint32_t>(stride)) {
    SCOPED_TRACE(seed);
    RandomLife life(seed);
    life.ExpectEachEndedOnce();
  }
}

}  // namespace
}  // namespace cursorwire::connect
