#include "upstream/assistant.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <utility>

#include "agent/blob_store.h"
#include "base/error.h"
#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

constexpr uint32_t kContextExec = 1;
constexpr uint64_t kStep = 1;
constexpr size_t kBlobIdBytes = 32;
constexpr uint32_t kContextWindow = 200'000;

absl::Status Violation(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument, what);
}

// The text of a root prompt message that is a user's, as rules are sent; else "".
std::string UserText(std::string_view blob) {
  const absl::StatusOr<wire::Json> json = wire::ParseJson(blob);
  if (!json.ok() || json->FindString("role") != "user") return "";
  const wire::Json* content = json->Find("content");
  std::string text;
  if (content == nullptr) return text;
  for (const wire::Json& part : content->items) text += part.FindString("text");
  return text;
}

size_t CountWords(std::string_view text) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(ToAbsl(text), absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  return words.size();
}

std::string Counted(size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

// Words with the white space before them, so that joining them gives the text back.
std::vector<std::string> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    const bool in_space =
        !words.empty() && words.back().find_first_not_of(" \n") == std::string::npos;
    if (words.empty() || (space && !in_space)) words.emplace_back();
    words.back() += c;
  }
  return words;
}

}  // namespace

absl::Status Assistant::On(const pb::AgentClientMessage& message, TimePoint now) {
  if (done_) return absl::OkStatus();  // crossed the end on its way
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
  uint32_t id = 0;
  for (const std::string& blob_id : state_.root_prompt_messages_json()) {
    if (blob_id.size() != kBlobIdBytes) {
      return Violation("root_prompt_messages_json holds what is no blob id");
    }
    pb::KvServerMessage& kv = *Add().mutable_kv_server_message();
    kv.set_id(id);
    kv.mutable_get_blob_args()->set_blob_id(blob_id);
    wanted_blobs_.emplace(id++, blob_id);
  }
  pb::ExecServerMessage& exec = *Add().mutable_exec_server_message();
  exec.set_id(kContextExec);
  exec.mutable_request_context_args();
  return absl::OkStatus();
}

absl::Status Assistant::OnKv(const pb::KvClientMessage& message, TimePoint now) {
  if (saving_ && message.id() == *saving_ && message.has_set_blob_result()) {
    saving_.reset();
    if (message.set_blob_result().has_error()) {
      return Violation(absl::StrCat("set_blob of the turn was refused: ",
                                    message.set_blob_result().error().message()));
    }
    SayTail();
    return absl::OkStatus();
  }
  const auto wanted = wanted_blobs_.find(message.id());
  if (wanted == wanted_blobs_.end() || !message.has_get_blob_result()) {
    return Violation(absl::StrCat("kv answer ", message.id(), " to nothing that was asked"));
  }
  const pb::GetBlobResult& result = message.get_blob_result();
  if (!result.has_blob_data()) {
    // As the service says it. Source: docs/protocol.md, blobs.
    End(absl::InternalError("Blob not found"));
    return absl::OkStatus();
  }
  if (agent::Sha256(result.blob_data()) != wanted->second) {
    return Violation("a blob does not match its id");
  }
  prompt_blobs_.push_back(result.blob_data());
  wanted_blobs_.erase(wanted);
  AnswerWhenReady(now);
  return absl::OkStatus();
}

absl::Status Assistant::OnExecResult(const pb::ExecClientMessage& message) {
  if (message.id() != kContextExec || context_known_) {
    return Violation(absl::StrCat("result of exec ", message.id(), ", which was not asked for"));
  }
  if (!message.request_context_result().has_success()) {
    return Violation("the request context was not told");
  }
  context_known_ = true;
  return absl::OkStatus();
}

absl::Status Assistant::OnExecControl(const pb::ExecClientControlMessage& message, TimePoint now) {
  if (!message.has_stream_close() || message.stream_close().id() != kContextExec ||
      !context_known_ || context_closed_) {
    return Violation("exec control message that fits no exec");
  }
  context_closed_ = true;
  AnswerWhenReady(now);
  return absl::OkStatus();
}

void Assistant::OnCancel() {
  next_word_.reset();
  messages_.clear();
  End(absl::CancelledError("Error"));
}

pb::AgentServerMessage& Assistant::Add() { return messages_.emplace_back(); }

void Assistant::AnswerWhenReady(TimePoint now) {
  if (!wanted_blobs_.empty() || !context_closed_ || done_) return;
  Add().mutable_interaction_update()->mutable_step_started()->set_step_id(kStep);
  Add().mutable_interaction_update()->mutable_thinking_delta()->set_text("No model here: ");
  Add().mutable_interaction_update()->mutable_thinking_delta()->set_text(
      "the answer is made from the request.");
  Add().mutable_interaction_update()->mutable_thinking_completed();
  words_ = SplitWords(ComposeAnswer());
  SayWords(now);
}

std::string Assistant::ComposeAnswer() const {
  const std::string& prompt = request_.action().user_message_action().user_message().text();
  size_t blob_bytes = 0;
  std::string rules;
  for (const std::string& blob : prompt_blobs_) {
    blob_bytes += blob.size();
    rules += UserText(blob);
  }
  std::string answer =
      absl::StrCat("You said: \"", prompt, "\"\nThat is ", Counted(CountWords(prompt), "word"),
                   " in ", Counted(prompt.size(), "byte"), " for the model \"",
                   request_.requested_model().model_id(), "\".\n");
  if (!rules.empty()) absl::StrAppend(&answer, "Your rules are: ", rules, "\n");
  absl::StrAppend(
      &answer,
      "I am the local upstream of cursorwire: no model, but a server in your own process. "
      "Your question came to me through HTTP/2, and I fetched ",
      Counted(prompt_blobs_.size(), "prompt blob"), " of ", Counted(blob_bytes, "byte"),
      " from your client before I answered, as the real service does.");
  return answer;
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

// Step completed, then the turn is stored at the client before anything refers to it.
void Assistant::SaveTurn() {
  Add().mutable_interaction_update()->mutable_step_completed()->set_step_id(kStep);
  const std::string turn = request_.action().user_message_action().SerializeAsString();
  const std::string id = agent::Sha256(turn);
  pb::KvServerMessage& kv = *Add().mutable_kv_server_message();
  saving_ = static_cast<uint32_t>(state_.root_prompt_messages_json_size());
  kv.set_id(*saving_);
  kv.mutable_set_blob_args()->set_blob_id(id);
  kv.mutable_set_blob_args()->set_blob_data(turn);
  state_.add_turns(id);
}

void Assistant::SayTail() {
  const auto words = static_cast<uint32_t>(words_.size());
  pb::TurnEndedUpdate& ended = *Add().mutable_interaction_update()->mutable_turn_ended();
  const std::string& prompt = request_.action().user_message_action().user_message().text();
  const auto prompt_words = static_cast<uint32_t>(CountWords(prompt));
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
