#include "cursorwire/chat_stream.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "client/turn/chat_turn.h"
#include "client/waiting/chat_stream_events.h"

namespace cursorwire {
namespace {

// The bytes that `event` adds to an answer.
size_t BytesOf(const ChatEvent& event) {
  if (const auto* text = event.As<TextDelta>()) return text->text.size();
  if (const auto* thinking = event.As<ThinkingDelta>()) return thinking->text.size();
  if (const auto* notice = event.As<ServerNotice>()) return notice->text.size();
  if (const auto* completed = event.As<ToolCallCompleted>()) {
    const ToolCallInfo& call = completed->call;
    return sizeof(call) + call.name.size() + call.arguments_json.size() + call.result_json.size();
  }
  return 0;
}

void AddTo(ChatAnswer& answer, const ChatEvent& event) {
  if (const auto* text = event.As<TextDelta>()) {
    answer.text += text->text;
  } else if (const auto* thinking = event.As<ThinkingDelta>()) {
    answer.thinking += thinking->text;
  } else if (const auto* notice = event.As<ServerNotice>()) {
    answer.notices.push_back(notice->text);
  } else if (const auto* completed = event.As<ToolCallCompleted>()) {
    answer.tool_calls.push_back(completed->call);
  } else if (const auto* checkpoint = event.As<Checkpoint>()) {
    answer.checkpoint = *checkpoint;
  } else if (const auto* ended = event.As<TurnEnded>()) {
    answer.usage = ended->usage;
  } else if (event.As<StateLost>() != nullptr) {
    answer.state_lost = true;
  }
}

}  // namespace

ChatStream::ChatStream(std::shared_ptr<ChatTurn> turn, std::shared_ptr<Events> events)
    : turn_(std::move(turn)), events_(std::move(events)) {}
ChatStream::ChatStream(ChatStream&&) noexcept = default;

ChatStream& ChatStream::operator=(ChatStream&& other) noexcept {
  if (this != &other) {
    if (turn_ != nullptr) turn_->Abandon();
    turn_ = std::move(other.turn_);
    events_ = std::move(other.events_);
  }
  return *this;
}

ChatStream::~ChatStream() {
  if (turn_ != nullptr) turn_->Abandon();
}

std::string ChatStream::conversation_id() const { return turn_->conversation_id(); }
std::optional<ChatStream::Element> ChatStream::Next() { return events_->Next(turn_->user_call()); }
void ChatStream::Cancel() { turn_->Cancel(); }

absl::StatusOr<ChatAnswer> ChatStream::Collect(size_t max_bytes) {
  ChatAnswer answer;
  size_t bytes = 0;
  while (const std::optional<Element> event = Next()) {
    if (!event->ok()) return event->status();
    bytes += BytesOf(**event);
    if (bytes > max_bytes) {
      Cancel();
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat("the answer is larger than ", max_bytes, " bytes"));
    }
    AddTo(answer, **event);
  }
  answer.conversation_id = conversation_id();
  return answer;
}

}  // namespace cursorwire
