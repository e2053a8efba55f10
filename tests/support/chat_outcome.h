#ifndef CURSORWIRE_TESTS_SUPPORT_CHAT_OUTCOME_H_
#define CURSORWIRE_TESTS_SUPPORT_CHAT_OUTCOME_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/run.h"
#include "support/pair.h"

namespace cursorwire::test {

// What a consumer saw of one turn.
struct ChatOutcome {
  std::string text{};
  std::string thinking{};
  std::vector<std::string> kinds{};  // of the events in order, the same in a row only once
  std::vector<std::string> checkpoints{};
  int64_t tokens = 0;
  std::optional<Usage> usage{};
  bool state_lost = false;
  std::optional<RebuildReason> rebuilt{};
  std::vector<RetryKind> retries{};
  absl::Status status{};
  int terminal_elements = 0;  // an error, or the end
  std::vector<std::string> violations{};

  void Add(const absl::StatusOr<ChatEvent>& event) {
    EXPECT_EQ(terminal_elements, 0) << "an element after the last";
    if (!event.ok()) {
      status = event.status();
      ++terminal_elements;
    } else if (const auto* delta = event->As<TextDelta>()) {
      text += delta->text;
      AddKind("text");
    } else if (const auto* thought = event->As<ThinkingDelta>()) {
      thinking += thought->text;
      AddKind("thinking");
    } else if (const auto* counter = event->As<TokenUsage>()) {
      tokens += counter->tokens;
    } else if (const auto* checkpoint = event->As<Checkpoint>()) {
      checkpoints.push_back(checkpoint->state);
      AddKind("checkpoint");
    } else if (event->As<StateLost>() != nullptr) {
      state_lost = true;
      AddKind("state_lost");
    } else if (const auto* was_rebuilt = event->As<StateRebuilt>()) {
      rebuilt = was_rebuilt->reason;
      AddKind("rebuilt");
    } else if (const auto* retrying = event->As<Retrying>()) {
      retries.push_back(retrying->kind);
      AddKind("retry");
    } else if (const auto* ended = event->As<TurnEnded>()) {
      usage = ended->usage;
      AddKind("turn_ended");
    }
  }

 private:
  void AddKind(const char* kind) {
    if (kinds.empty() || kinds.back() != kind) kinds.emplace_back(kind);
  }
};

// Ids that a test knows: counted, in the form of a UUID of version 4.
class CountedIds final : public IdSource {
 public:
  std::string Uuid() override {
    std::string digits = std::to_string(++count_);
    return "00000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits;
  }

 private:
  int count_ = 0;
};

// One turn over a Pair, by the sans-I/O door: Connection and Run in a loop with virtual time.
class PairChat {
 public:
  // Does what the Run hands out; true if there was something.
  using Serve = std::function<bool(Run& run, connect::TimePoint now)>;

  PairChat(Pair& pair, const ChatRequest& request, Serve serve = nullptr)
      : pair_(pair),
        serve_(std::move(serve)),
        run_(request, {.token = "secret-token"}, ids_, pair.now()),
        call_(pair.client().StartCall(run_.call_request(), pair.now())) {}

  // Until the turn is over; `max_time` of virtual time is a hang.
  ChatOutcome Finish(std::chrono::milliseconds max_time = std::chrono::minutes(10)) {
    const connect::TimePoint end = pair_.now() + max_time;
    while (!run_.finished()) {
      if (Turn()) continue;
      const auto due = NextDeadline();
      if (!due || *due > end) {
        ADD_FAILURE() << "the turn hangs";
        break;
      }
      Advance(std::chrono::ceil<std::chrono::milliseconds>(*due - pair_.now()));
    }
    // Nothing comes after the end, whatever the connection still says.
    for (int i = 0; i < 3; ++i) Turn();
    EXPECT_FALSE(run_.PollEvent().has_value());
    if (run_.finished() && outcome_.terminal_elements == 0) ++outcome_.terminal_elements;
    outcome_.violations = pair_.violations();
    return outcome_;
  }

  // Does what can be done now; false if there was nothing.
  bool Turn() {
    bool worked = false;
    while (run_.ended() || pair_.client().unsent_bytes(call_) <= connect::kSendHighWater) {
      const auto output = run_.PollOutput();
      if (!output) break;
      worked = true;
      Apply(*output);
    }
    if (pair_.Step()) worked = true;
    while (auto event = pair_.client().PollEvent()) {
      worked = true;
      run_.On(*event, pair_.now());
    }
    while (auto event = run_.PollEvent()) {
      worked = true;
      outcome_.Add(*event);
    }
    if (serve_ != nullptr && serve_(run_, pair_.now())) worked = true;
    return worked;
  }

  void Advance(std::chrono::milliseconds time) {
    pair_.Advance(time);
    run_.OnDeadline(pair_.now());
  }

  Run& run() { return run_; }
  const ChatOutcome& outcome() const { return outcome_; }

 private:
  std::optional<connect::TimePoint> NextDeadline() const {
    const auto a = pair_.NextDeadline();
    const auto b = run_.NextDeadline();
    return a && b ? std::min(*a, *b) : a ? a : b;
  }

  void Apply(const RunOutput& output) {
    if (const auto* send = std::get_if<SendMessage>(&output)) {
      // This fails if the call has ended: its end is on the way.
      (void)pair_.client().Send(call_, send->message);
    } else if (std::holds_alternative<CloseSend>(output)) {
      pair_.client().CloseSend(call_);
    } else {
      pair_.client().Cancel(call_);
    }
  }

  Pair& pair_;
  const Serve serve_;
  CountedIds ids_;
  Run run_;
  connect::CallId call_;
  ChatOutcome outcome_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_CHAT_OUTCOME_H_
