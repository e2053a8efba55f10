#ifndef CURSORWIRE_TESTS_UPSTREAM_ASSISTANT_ASSISTANT_CLIENT_H_
#define CURSORWIRE_TESTS_UPSTREAM_ASSISTANT_ASSISTANT_CLIENT_H_

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/history/prompt_message.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "base/sha256.h"
#include "cursorwire/run.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "upstream/assistant/assistant.h"

namespace cursorwire::upstream {

namespace pb = ::agent::v1;
using connect::TimePoint;
using std::chrono::milliseconds;
using test::FromText;
using test::IsOk;

inline constexpr char kSystemBlob[] = R"({"role":"system","content":"You are an agent."})";

inline std::string RulesBlob(const std::string& rules) {
  return R"({"role":"user","content":[{"type":"text","text":")" + rules + R"("}]})";
}

// A run request that is as it should be, with these blobs.
inline pb::AgentClientMessage FirstMessage(const std::string& prompt,
                                           const std::vector<std::string>& blobs = {kSystemBlob}) {
  pb::AgentClientMessage message;
  pb::AgentRunRequest& request = *message.mutable_run_request();
  pb::ConversationStateStructure state;
  for (const std::string& blob : blobs) state.add_root_prompt_messages_json(Sha256(blob));
  state.set_mode(pb::AGENT_MODE_AGENT);
  request.set_conversation_state(state.SerializeAsString());
  request.set_conversation_id("c");
  request.mutable_requested_model()->set_model_id("default");
  pb::UserMessage& user =
      *request.mutable_action()->mutable_user_message_action()->mutable_user_message();
  user.set_text(prompt);
  user.set_message_id("m");
  return message;
}

// The kind of a message, with the id that its answer must have.
inline std::string Kind(const pb::AgentServerMessage& message) {
  if (message.has_kv_server_message()) {
    const pb::KvServerMessage& kv = message.kv_server_message();
    return absl::StrCat(kv.has_get_blob_args() ? "get_blob " : "set_blob ", kv.id());
  }
  if (message.has_exec_server_message()) {
    return message.exec_server_message().has_request_context_args() ? "request_context" : "exec";
  }
  if (message.has_conversation_checkpoint_update()) return "checkpoint";
  const pb::InteractionUpdate& update = message.interaction_update();
  const google::protobuf::FieldDescriptor* field = update.GetReflection()->GetOneofFieldDescriptor(
      update, pb::InteractionUpdate::descriptor()->FindOneofByName("message"));
  return field == nullptr ? "nothing" : field->name();
}

// A client of the Assistant: keeps what it said, and answers as a client must.
class Client {
 public:
  // What becomes of execs, the request context aside.
  enum class Execs { kAnswer, kLeave };

  explicit Client(milliseconds word_interval = milliseconds(0), Execs execs = Execs::kAnswer)
      : assistant_(word_interval), execs_(execs) {}

  Assistant& assistant() { return assistant_; }
  TimePoint now() const { return now_; }
  void AddBlob(const std::string& blob) { blobs_[Sha256(blob)] = blob; }

  // Sends one message, and takes what comes of it.
  absl::Status Send(const pb::AgentClientMessage& message) {
    const absl::Status status = assistant_.On(message, now_);
    Take();
    return status;
  }
  absl::Status Send(const char* text) { return Send(FromText<pb::AgentClientMessage>(text)); }
  // Answers all that was asked and not answered, and what is asked then.
  absl::Status AnswerAll() {
    for (; answered_ < messages_.size(); ++answered_) {
      for (const pb::AgentClientMessage& answer : Answers(messages_[answered_])) {
        if (absl::Status status = Send(answer); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }
  void OnDeadlineAt(milliseconds since_start) {
    now_ = TimePoint() + since_start;
    assistant_.OnDeadline(now_);
    Take();
  }
  std::optional<milliseconds> NextDeadline() const {
    const std::optional<TimePoint> next = assistant_.NextDeadline();
    if (!next) return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(*next - TimePoint());
  }

  const std::vector<pb::AgentServerMessage>& messages() const { return messages_; }
  // Their kinds; rows of words count as one.
  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const pb::AgentServerMessage& message : messages_) {
      std::string kind = Kind(message);
      const bool word = kind == "text_delta" || kind == "token_delta";
      if (word) kind = "words";
      if (!word || kinds.empty() || kinds.back() != kind) kinds.push_back(std::move(kind));
    }
    return kinds;
  }
  std::string Text() const {
    std::string text;
    for (const pb::AgentServerMessage& message : messages_) {
      text += message.interaction_update().text_delta().text();
    }
    return text;
  }
  size_t CountOf(const std::string& kind) const {
    size_t count = 0;
    for (const pb::AgentServerMessage& message : messages_) count += Kind(message) == kind;
    return count;
  }

 private:
  void Take() {
    while (std::optional<pb::AgentServerMessage> message = assistant_.PollMessage()) {
      messages_.push_back(*std::move(message));
    }
  }

  std::vector<pb::AgentClientMessage> Answers(const pb::AgentServerMessage& message) {
    std::vector<pb::AgentClientMessage> answers;
    if (message.has_kv_server_message()) {
      const pb::KvServerMessage& kv = message.kv_server_message();
      pb::KvClientMessage& answer = *answers.emplace_back().mutable_kv_client_message();
      answer.set_id(kv.id());
      if (kv.has_set_blob_args()) {
        EXPECT_EQ(Sha256(kv.set_blob_args().blob_data()), kv.set_blob_args().blob_id());
        answer.mutable_set_blob_result();
      } else {
        const auto blob = blobs_.find(kv.get_blob_args().blob_id());
        pb::GetBlobResult& result = *answer.mutable_get_blob_result();
        if (blob != blobs_.end()) result.set_blob_data(blob->second);
      }
    } else if (message.has_exec_server_message() &&
               (execs_ == Execs::kAnswer ||
                message.exec_server_message().has_request_context_args())) {
      const uint32_t id = message.exec_server_message().id();
      pb::ExecClientMessage& result = *answers.emplace_back().mutable_exec_client_message();
      result.set_id(id);
      result.mutable_request_context_result()->mutable_success()->mutable_request_context();
      answers.emplace_back().mutable_exec_client_control_message()->mutable_stream_close()->set_id(
          id);
    }
    return answers;
  }

  Assistant assistant_;
  const Execs execs_;
  TimePoint now_;
  std::map<std::string, std::string> blobs_ = {{Sha256(kSystemBlob), kSystemBlob}};
  std::vector<pb::AgentServerMessage> messages_;
  size_t answered_ = 0;
};

inline std::string AnswerTo(const std::string& prompt, const std::vector<std::string>& blobs) {
  Client client;
  for (const std::string& blob : blobs) client.AddBlob(blob);
  EXPECT_THAT(client.Send(FirstMessage(prompt, blobs)), IsOk());
  EXPECT_THAT(client.AnswerAll(), IsOk());
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(), IsOk());
  return client.Text();
}

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_TESTS_UPSTREAM_ASSISTANT_ASSISTANT_CLIENT_H_
