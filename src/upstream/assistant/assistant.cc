#include "upstream/assistant/assistant.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>
#include <vector>

#include "agent/history/prompt_message.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "upstream/assistant/answer.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

constexpr uint64_t kStep = 1;
constexpr size_t kBlobIdBytes = 32;
constexpr uint32_t kContextWindow = 200'000;

absl::Status Violation(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument, what);
}

}  // namespace

absl::Status Assistant::On(const pb::AgentClientMessage& message, TimePoint now) {
  if (done_) return absl::OkStatus();  // sent before the client knew of the end
  if (!started_ && !message.has_run_request()) {
    return Violation("the first message of a run is no run_request");
  }
  switch (message.message_case()) {
    case pb::AgentClientMessage::kRunRequest:
      return OnRunRequest(message.run_request());
    case pb::AgentClientMessage::kKvClientMessage:
      return OnKv(message.kv_client_message(), now);
    case pb::AgentClientMessage::kExecClientMessage:
      return OnExecResult(message.exec_client_message());
    case pb::AgentClientMessage::kExecClientControlMessage:
      return OnExecControl(message.exec_client_control_message(), now);
    case pb::AgentClientMessage::kConversationAction:
      if (!message.conversation_action().has_cancel_action()) {
        return Violation("only the cancel action is allowed within a run");
      }
      OnCancel();
      return absl::OkStatus();
    case pb::AgentClientMessage::kClientHeartbeat:
      return absl::OkStatus();
    case pb::AgentClientMessage::kInteractionResponse:
      return Violation("interaction_response to a question that was not asked");
    case pb::AgentClientMessage::kPrewarmRequest:
      return Violation("prewarm_request within a run");
    case pb::AgentClientMessage::MESSAGE_NOT_SET:
      break;
  }
  return Violation("AgentClientMessage without a message");
}

std::optional<pb::AgentServerMessage> Assistant::PollMessage() {
  if (messages_.empty()) return std::nullopt;
  pb::AgentServerMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void Assistant::OnDeadline(TimePoint now) {
  if (next_word_ && *next_word_ <= now) SayWords(now);
}

absl::Status Assistant::OnRunRequest(const pb::AgentRunRequest& request) {
  if (std::exchange(started_, true)) return Violation("a second run_request in one run");
  const pb::UserMessage& user = request.action().user_message_action().user_message();
  if (user.text().empty()) return Violation("run_request without the text of a user message");
  if (user.message_id().empty()) return Violation("user message without message_id");
  if (request.conversation_id().empty()) return Violation("run_request without conversation_id");
  if (request.requested_model().model_id().empty()) {
    return Violation("run_request without a requested model");
  }
  if (!state_.ParseFromString(request.conversation_state())) {
    return Violation("conversation_state does not parse");
  }
  request_ = request;
  for (const std::string& blob_id : state_.root_prompt_messages_json()) {
    if (blob_id.size() != kBlobIdBytes) {
      return Violation("root_prompt_messages_json holds what is no blob id");
    }
    pb::KvServerMessage& kv = *Add().mutable_kv_server_message();
    kv.set_id(next_kv_);
    kv.mutable_get_blob_args()->set_blob_id(blob_id);
    wanted_blobs_.emplace(next_kv_++, blob_id);
  }
  pb::ExecServerMessage exec;
  exec.mutable_request_context_args();
  AskFor(std::move(exec));
  return absl::OkStatus();
}

absl::Status Assistant::OnKv(const pb::KvClientMessage& message, TimePoint now) {
  if (message.has_set_blob_result() && saving_.erase(message.id()) == 1) {
    return OnSaved(message.set_blob_result());
  }
  const auto wanted = wanted_blobs_.find(message.id());
  if (wanted == wanted_blobs_.end() || !message.has_get_blob_result()) {
    return Violation(absl::StrCat("kv answer ", message.id(), " to nothing that was asked"));
  }
  const pb::GetBlobResult& result = message.get_blob_result();
  if (!result.has_blob_data()) {
    // The service's own words. Source: docs/protocol.md, blobs.
    End(absl::InternalError("Blob not found"));
    return absl::OkStatus();
  }
  if (Sha256(result.blob_data()) != wanted->second) {
    return Violation("a blob does not match its id");
  }
  prompt_blobs_.emplace(message.id(), result.blob_data());
  wanted_blobs_.erase(wanted);
  GoOn(now);
  return absl::OkStatus();
}

absl::Status Assistant::OnSaved(const pb::SetBlobResult& result) {
  if (result.has_error()) {
    return Violation(absl::StrCat("set_blob of the turn was refused: ", result.error().message()));
  }
  if (saving_.empty()) SayTail();
  return absl::OkStatus();
}

absl::Status Assistant::OnExecResult(const pb::ExecClientMessage& message) {
  if (!exec_ || message.id() != exec_->id || std::exchange(exec_->answered, true)) {
    return Violation(absl::StrCat("result of exec ", message.id(), ", which was not asked for"));
  }
  return look_ ? look_->On(message) : OnContext(message.request_context_result());
}

absl::Status Assistant::OnContext(const pb::RequestContextResult& result) {
  if (!result.has_success()) return Violation("the request context was not told");
  const pb::RequestContext& context = result.success().request_context();
  transcript_.AddRules(context.cloud_rule());
  for (const pb::CursorRule& rule : context.rules()) {
    if (rule.type().has_global()) transcript_.AddRules(rule.content());
  }
  const pb::RequestContextEnv& env = context.env();
  if (env.workspace_paths_size() > 0) workspace_ = env.workspace_paths(0);
  return absl::OkStatus();
}

absl::Status Assistant::OnExecControl(const pb::ExecClientControlMessage& message, TimePoint now) {
  const bool is_beat = message.has_heartbeat();
  const uint32_t id = is_beat ? message.heartbeat().id() : message.stream_close().id();
  if ((!is_beat && !message.has_stream_close()) || !exec_ || id != exec_->id ||
      is_beat == exec_->answered) {
    return Violation("exec control message that fits no exec");
  }
  if (is_beat) return absl::OkStatus();
  exec_.reset();
  GoOn(now);
  return absl::OkStatus();
}

void Assistant::OnCancel() {
  next_word_.reset();
  messages_.clear();
  End(absl::CancelledError("Error"));
}

const std::string& Assistant::prompt() const {
  return request_.action().user_message_action().user_message().text();
}

pb::AgentServerMessage& Assistant::Add() { return messages_.emplace_back(); }

void Assistant::AskFor(pb::ExecServerMessage exec) {
  exec_ = Exec{.id = next_exec_++};
  exec.set_id(exec_->id);
  *Add().mutable_exec_server_message() = std::move(exec);
}

void Assistant::GoOn(TimePoint now) {
  if (!wanted_blobs_.empty() || exec_ || !words_.empty() || done_) return;
  if (!look_) {
    for (const auto& [id, blob] : prompt_blobs_) transcript_.Add(blob);
    look_.emplace(prompt(), workspace_);
    Add().mutable_interaction_update()->mutable_step_started()->set_step_id(kStep);
  }
  if (std::optional<pb::ExecServerMessage> exec = look_->Next()) return AskFor(*std::move(exec));
  Answer(now);
}

void Assistant::Answer(TimePoint now) {
  Add().mutable_interaction_update()->mutable_thinking_delta()->set_text("No model here: ");
  Add().mutable_interaction_update()->mutable_thinking_delta()->set_text(
      look_->answer().empty() ? "the answer is made from the request."
                              : "the answer is made from what your client showed me.");
  Add().mutable_interaction_update()->mutable_thinking_completed();
  words_ = SplitWords(look_->answer().empty() ? AnswerFromRequest(request_, transcript_)
                                              : look_->answer());
  SayWords(now);
}

void Assistant::SayWords(TimePoint now) {
  next_word_.reset();
  while (next_word_index_ < words_.size()) {
    SayWord(words_[next_word_index_++]);
    if (word_interval_.count() > 0) {
      next_word_ = now + word_interval_;
      return;
    }
  }
  SaveTurn();
}

void Assistant::SayWord(const std::string& word) {
  Add().mutable_interaction_update()->mutable_text_delta()->set_text(word);
  Add().mutable_interaction_update()->mutable_token_delta()->set_tokens(1);
}

// Reports the completed step, then stores the turn at the client before anything refers to it: as
// messages from which the next prompt is built, and as the turn to show. Source: docs/protocol.md,
// several turns.
void Assistant::SaveTurn() {
  Add().mutable_interaction_update()->mutable_step_completed()->set_step_id(kStep);
  std::string answer;
  for (const std::string& word : words_) answer += word;
  state_.add_root_prompt_messages_json(Save(agent::UserMessage(WrapQuery(prompt()))));
  state_.add_root_prompt_messages_json(Save(agent::AssistantMessage(answer)));

  pb::ConversationStep step;
  step.mutable_assistant_message()->set_text(answer);
  pb::ConversationTurnStructure turn;
  pb::AgentConversationTurnStructure& agent_turn = *turn.mutable_agent_conversation_turn();
  agent_turn.set_user_message(
      Save(request_.action().user_message_action().user_message().SerializeAsString()));
  agent_turn.add_steps(Save(step.SerializeAsString()));
  state_.add_turns(Save(turn.SerializeAsString()));
}

std::string Assistant::Save(const std::string& blob) {
  std::string id = Sha256(blob);
  pb::KvServerMessage& kv = *Add().mutable_kv_server_message();
  kv.set_id(next_kv_);
  kv.mutable_set_blob_args()->set_blob_id(id);
  kv.mutable_set_blob_args()->set_blob_data(blob);
  saving_.insert(next_kv_++);
  return id;
}

void Assistant::SayTail() {
  const auto words = static_cast<uint32_t>(words_.size());
  pb::TurnEndedUpdate& ended = *Add().mutable_interaction_update()->mutable_turn_ended();
  const auto prompt_words = static_cast<uint32_t>(CountWords(prompt()));
  ended.set_input_tokens(prompt_words);
  ended.set_output_tokens(words);
  ended.set_cache_read_tokens(0);
  ended.set_cache_write_tokens(0);
  Add().mutable_interaction_update()->mutable_heartbeat();

  state_.mutable_token_details()->set_used_tokens(prompt_words + words);
  state_.mutable_token_details()->set_max_tokens(kContextWindow);
  pb::ConversationStateStructure transitional = state_;
  transitional.add_pending_tool_calls("turn");
  SayCheckpoint(transitional);
  SayCheckpoint(state_);
  SayCheckpoint(state_);
  End(absl::OkStatus());
}

void Assistant::SayCheckpoint(const pb::ConversationStateStructure& state) {
  Add().set_conversation_checkpoint_update(state.SerializeAsString());
}

void Assistant::End(absl::Status status) {
  done_ = true;
  end_status_ = std::move(status);
}

}  // namespace cursorwire::upstream
