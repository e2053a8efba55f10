#ifndef CURSORWIRE_TESTS_AGENT_RUN_RUN_HOST_H_
#define CURSORWIRE_TESTS_AGENT_RUN_RUN_HOST_H_

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/run/known_ids.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/run.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire::test {

inline constexpr char kTurnEnded[] = "interaction_update { turn_ended {} }";

inline std::string TextOf(const std::optional<int64_t>& count) {
  return count ? std::to_string(*count) : "-";
}

// An event as one line.
inline std::string Line(const ChatEvent& event) {
  if (const auto* text = event.As<TextDelta>()) return "text " + text->text;
  if (const auto* thinking = event.As<ThinkingDelta>()) return "thinking " + thinking->text;
  if (const auto* tokens = event.As<TokenUsage>())
    return "tokens " + std::to_string(tokens->tokens);
  if (const auto* checkpoint = event.As<Checkpoint>()) return "checkpoint " + checkpoint->state;
  if (event.As<StateLost>() != nullptr) return "state lost";
  if (const auto* drift = event.As<DriftFound>()) return "drift " + drift->path;
  if (const auto* call = event.As<ToolCallStarted>()) return "started " + call->call.kind;
  if (const auto* call = event.As<ToolCallCompleted>()) return "completed " + call->call.kind;
  if (event.As<TurnEnded>() == nullptr) return absl::StrCat("event ", event.what().index());
  const Usage& usage = event.As<TurnEnded>()->usage;
  return absl::StrCat("ended ", TextOf(usage.input_tokens), " ", TextOf(usage.output_tokens), " ",
                      TextOf(usage.cache_read_tokens), " ", TextOf(usage.cache_write_tokens), " ",
                      TextOf(usage.reasoning_tokens));
}

inline std::string Serialize(const char* text) {
  return FromText<::agent::v1::AgentServerMessage>(text).SerializeAsString();
}

inline std::string SerializeClient(const char* text) {
  return FromText<::agent::v1::AgentClientMessage>(text).SerializeAsString();
}

// The other side of a Run: plays the server and the clock, and takes what the Run gives after each
// step. An element after a terminal one fails the test.
class Host {
 public:
  explicit Host(const ChatRequest& request = {.prompt = "Say hi."},
                const RunOptions& options = {.token = "secret"},
                const RunConversation& conversation = {})
      : run_(request, conversation, options, ids_, connect::TimePoint()) {
    first_ = Take();
  }

  struct Taken {
    // Messages in bytes; "<close>" and "<cancel>".
    std::vector<std::string> outputs{};
    std::vector<std::string> events{};
  };

  Run& run() { return run_; }
  // What there was at the start.
  const Taken& first() const { return first_; }
  connect::TimePoint now() const { return now_; }
  // Moves the clock without telling the Run.
  void Sleep(std::chrono::milliseconds time) { now_ += time; }

  Taken Server(const char* text) { return ServerBytes(Serialize(text)); }
  Taken ServerBytes(std::string_view bytes) {
    run_.On(connect::CallEvent(connect::MessageView{bytes, bytes.size()}), now_);
    return Take();
  }
  Taken End(const absl::Status& status) {
    run_.On(connect::CallEvent(connect::CallEnd{status, {}}), now_);
    return Take();
  }
  Taken Answer(uint32_t id, const absl::StatusOr<ExecOutput>& output) {
    run_.AnswerExec(id, output, now_);
    return Take();
  }
  Taken AnswerQuery(uint32_t id, const absl::StatusOr<QueryOutput>& output) {
    run_.AnswerQuery(id, output, now_);
    return Take();
  }
  Taken AddOutput(uint32_t id, std::string_view out, std::string_view err = "") {
    run_.AddShellOutput(id, out, err, now_);
    return Take();
  }
  Taken Cancel() {
    run_.Cancel(now_);
    return Take();
  }
  Taken OnDeadlineAt(std::chrono::milliseconds since_start) {
    now_ = connect::TimePoint() + since_start;
    run_.OnDeadline(now_);
    return Take();
  }
  std::optional<std::chrono::milliseconds> NextDeadline() const {
    const std::optional<connect::TimePoint> next = run_.NextDeadline();
    if (!next) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(*next - connect::TimePoint());
  }

  // How the turn ended; the turn must be over, and stay so whatever comes.
  absl::Status Result() {
    EXPECT_TRUE(run_.finished());
    EXPECT_EQ(NextDeadline(), std::nullopt);
    for (const Taken& taken :
         {Server("interaction_update { text_delta { text: \"late\" } }"), Server(kTurnEnded),
          Server("kv_server_message { id: 1 get_blob_args {} }"), ServerBytes("\xFF"), Cancel(),
          End(absl::InternalError("late")), OnDeadlineAt(std::chrono::hours(24))}) {
      EXPECT_THAT(taken.outputs, ::testing::IsEmpty());
      EXPECT_THAT(taken.events, ::testing::IsEmpty());
    }
    EXPECT_TRUE(run_.finished());
    return error_.value_or(absl::OkStatus());
  }

 private:
  Taken Take() {
    Taken taken;
    while (std::optional<RunOutput> output = run_.PollOutput()) {
      if (const auto* message = std::get_if<SendMessage>(&*output)) {
        taken.outputs.push_back(message->message);
      } else {
        taken.outputs.emplace_back(std::holds_alternative<CloseSend>(*output) ? "<close>"
                                                                              : "<cancel>");
      }
    }
    while (std::optional<absl::StatusOr<ChatEvent>> event = run_.PollEvent()) {
      EXPECT_FALSE(error_.has_value()) << "an element after the error";
      EXPECT_FALSE(run_.ended() && event->ok());
      if (event->ok()) {
        taken.events.push_back(Line(**event));
      } else {
        error_ = event->status();
        EXPECT_TRUE(run_.finished()) << "not finished after the error was pulled";
      }
    }
    return taken;
  }

  KnownIds ids_;
  connect::TimePoint now_;
  Run run_;
  Taken first_;
  std::optional<absl::Status> error_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_AGENT_RUN_RUN_HOST_H_
