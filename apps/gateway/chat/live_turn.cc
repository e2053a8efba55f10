#include "chat/live_turn.h"

#include <cursorwire/connect/error_info.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_text.h"
#include "random_text.h"

namespace cursor_gateway {
namespace {

// Some clients allow 40 characters, others 64.
constexpr size_t kCallIdLength = 24;
// Of the service.
constexpr size_t kMaxKnownCallIdBytes = 1024;

cursorwire::ToolResult ResultOf(const Message& message) {
  cursorwire::ToolResult result;
  result.is_error = message.is_error;
  if (!message.text.empty() || message.images.empty()) result.content.emplace_back(message.text);
  for (const std::string& image : message.images) {
    result.content.emplace_back(cursorwire::ToolImage{.bytes = image});
  }
  return result;
}

// The ids are the service's words, and it need not complete any of its calls.
void Know(std::set<std::string>& calls, const std::string& id) {
  if (calls.size() < kMaxKnownCalls && id.size() <= kMaxKnownCallIdBytes) calls.insert(id);
}

}  // namespace

LiveTurn::LiveTurn(EventLoop& loop, Metrics& metrics, TurnOwner& owner, Start start)
    : TurnHost(loop, metrics), owner_(owner), start_(std::move(start)), began_(loop.Now()) {
  BeginRun();
}

void LiveTurn::Begin(cursorwire::ChatRequest request, const std::vector<FunctionTool>& tools,
                     std::shared_ptr<TurnAnswer> answer) {
  NewFeed();
  for (const FunctionTool& tool : tools) {
    request.tools.AddLater(
        {.name = tool.name, .description = tool.description, .input_schema = tool.parameters},
        [feed = std::weak_ptr(feed_)](const cursorwire::ToolCall& call,
                                      cursorwire::ToolReply reply) {
          if (const auto alive = feed.lock()) alive->OnCall(call, std::move(reply));
        });
  }
  const size_t own = request.tools.size();
  if (start_.servers != nullptr) start_.servers->AddTools(request.tools);
  for (size_t i = own; i < request.tools.size(); ++i) {
    const cursorwire::ToolDefinition& tool = request.tools.definition(i);
    served_.insert({tool.name, tool.tool_name, Concat("mcp_", tool.provider, "_", tool.tool_name)});
  }
  for (const FunctionTool& tool : tools) served_.erase(tool.name);
  Attach(std::move(answer));
  call_ = start_.conversation.Chat(request, feed_);
  if (answer_->gone()) Cancel();
}

void LiveTurn::Cancel() {
  StopWaiting();
  if (parked()) {
    open_.clear();
    owner_.OnUnparked(*this);
  }
  waiting_.clear();
  kept_.clear();
  cancelled_ = true;
  call_.Cancel();
}

void LiveTurn::End(const absl::Status& why) {
  if (answer_ != nullptr) answer_->Fail(ApiErrorOf(why));
  Cancel();
}

// Nobody waits for an answer, or comes with results, any more.
void LiveTurn::StopWaiting() {
  quiet_timer_.reset();
  idle_timer_.reset();
  context_timer_.reset();
  Release();
}

size_t LiveTurn::held_bytes() const {
  const cursorwire::ConversationBytes held = start_.conversation.bytes();
  return start_.body->bytes() + held.state + held.blobs;
}

bool LiveTurn::Covers(const std::map<std::string, const Message*>& results) const {
  return std::all_of(open_.begin(), open_.end(),
                     [&results](const auto& entry) { return results.contains(entry.first); });
}

void LiveTurn::Resume(const std::map<std::string, const Message*>& results, ConversationKey key,
                      std::string said, bool parallel_calls, std::shared_ptr<TurnAnswer> answer) {
  const auto self = shared_from_this();
  idle_timer_.reset();
  owner_.OnUnparked(*this);
  start_.key = std::move(key);
  start_.said = std::move(said);
  start_.parallel_calls = parallel_calls;
  const std::map<std::string, cursorwire::ToolReply> open = std::exchange(open_, {});
  Attach(std::move(answer));
  if (answer_->gone()) return Cancel();
  for (const auto& [id, reply] : open) reply.Send(ResultOf(*results.at(id)));
  first_call_.reset();
  if (!waiting_.empty()) ArmQuiet();
  for (TurnItem& item : std::exchange(kept_, {})) OnItem(std::move(item));
}

void LiveTurn::OnItem(TurnItem item) {
  const auto self = shared_from_this();
  if (auto* end = std::get_if<TurnEnd>(&item)) {
    OnEnd(end->status);
  } else if (auto* call = std::get_if<TurnCall>(&item)) {
    OnCall(std::move(*call));
  } else if (parked()) {
    kept_.push_back(std::move(item));  // its credit is kept, too: the window bounds what can come
  } else {
    OnEvent(std::get<TurnEvent>(std::move(item)));
  }
}

void LiveTurn::OnEvent(TurnEvent event) {
  if (const auto* ended = event.event.As<cursorwire::TurnEnded>()) {
    OnTurnEnded(*ended);
    return;
  }
  if (const auto* checkpoint = event.event.As<cursorwire::Checkpoint>()) {
    if (checkpoint->used_tokens) context_tokens_ = checkpoint->used_tokens;
    if (checkpoint->max_tokens) context_window_ = checkpoint->max_tokens;
    if (ended_ && checkpoint->used_tokens) FinishAnswer();
  }
  if (answer_ == nullptr) return;
  OnAnswerEvent(event.event);
  if (answer_ == nullptr) return;
  if (answer_->begun() && !std::exchange(first_token_seen_, true)) {
    metrics_.RecordFirstToken(
        std::chrono::duration_cast<std::chrono::milliseconds>(loop_.Now() - began_));
  }
  Hold(std::move(event.hold));
}

void LiveTurn::OnAnswerEvent(const cursorwire::ChatEvent& event) {
  if (const auto* text = event.As<cursorwire::TextDelta>()) {
    answer_->Text(text->text);
    if (answer_->stopped()) {
      answer_->Finish(FinishReason::kStop, UsageOf({}));
      Cancel();
    } else if (answer_->text().size() > kMaxAnswerBytes) {
      answer_->Fail({.status = 502,
                     .type = "upstream_error",
                     .code = "upstream_resource_exhausted",
                     .message = "the answer is over 64 MiB"});
      Cancel();
    }
  } else if (const auto* thinking = event.As<cursorwire::ThinkingDelta>()) {
    answer_->Reasoning(thinking->text);
  } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
    const std::string& id = started->call.call_id;
    const bool is_own = started->call.kind == "mcp" && !served_.contains(started->call.name);
    if (is_own && !arrived_.contains(id)) Know(announced_, id);
  } else if (const auto* completed = event.As<cursorwire::ToolCallCompleted>()) {
    announced_.erase(completed->call.call_id);
    arrived_.erase(completed->call.call_id);
  }
}

void LiveTurn::OnTurnEnded(const cursorwire::TurnEnded& ended) {
  metrics_.CountUsage(ended.usage);
  ended_ = ended.usage;
  AwaitLastState();
  if (!start_.context_as_prompt || context_tokens_) return FinishAnswer();
  // The service may tell it with the last state alone.
  context_timer_ = loop_.After(kContextWait, [this] { FinishAnswer(); });
}

// The turn has ended well.
void LiveTurn::FinishAnswer() {
  if (answer_ != nullptr) {
    answer_->Finish(FinishReason::kStop, UsageOf(*ended_));
    if (!leaves_conversation_) {
      ConversationKey key = start_.key;
      key.Add(DigestOf({.role = Role::kAssistant, .text = answer_->text()}));
      complete_key_ = key.value();
      owner_.OnComplete(complete_key_);
    }
  }
  StopWaiting();
}

void LiveTurn::LeaveConversation() {
  leaves_conversation_ = true;
  start_.taken_key.clear();
}

AnswerUsage LiveTurn::UsageOf(const cursorwire::Usage& turn) const {
  const AnswerUsage usage{
      .turn = turn, .context_tokens = context_tokens_, .context_window = context_window_};
  return start_.context_as_prompt ? WithContextAsPrompt(usage) : usage;
}

void LiveTurn::OnCall(TurnCall call) {
  if (cancelled_) return;
  announced_.erase(call.call.call_id);
  Know(arrived_, call.call.call_id);
  waiting_.push_back({.call = {.id = Concat(start_.call_prefix, RandomText(kCallIdLength)),
                               .name = call.call.name,
                               // In the one form that comes back from clients.
                               .arguments = CallArguments(call.call.arguments_json)},
                      .reply = std::move(call.reply)});
  if (answer_ != nullptr && !parked()) ArmQuiet();
}

void LiveTurn::ArmQuiet() {
  if (!first_call_) first_call_ = loop_.Now();
  quiet_timer_ = loop_.After(kCallsQuiet, [this] { OnQuiet(); });
}

void LiveTurn::OnQuiet() {
  if (!announced_.empty() && loop_.Now() - *first_call_ < kCallsWait) {
    quiet_timer_ = loop_.After(kCallsQuiet, [this] { OnQuiet(); });
    return;
  }
  HandOut();
}

void LiveTurn::HandOut() {
  if (answer_ == nullptr || waiting_.empty()) return;
  const auto self = shared_from_this();
  const size_t count = start_.parallel_calls ? waiting_.size() : 1;
  std::vector<FunctionCall> calls;
  for (size_t i = 0; i < count; ++i) {
    WaitingCall next = std::move(waiting_.front());
    waiting_.pop_front();
    open_.emplace(next.call.id, std::move(next.reply));
    calls.push_back(std::move(next.call));
  }
  first_call_.reset();
  answer_->Calls(calls);
  answer_->Finish(FinishReason::kToolCalls, UsageOf({}));
  if (start_.parks) return Park(calls);
  open_.clear();
  Cancel();
}

void LiveTurn::Park(const std::vector<FunctionCall>& calls) {
  std::vector<std::string> ids;
  ids.reserve(calls.size());
  for (const FunctionCall& call : calls) ids.push_back(call.id);
  ConversationKey key = start_.key;
  key.Add(DigestOf({.role = Role::kAssistant, .text = answer_->text(), .calls = calls}));
  parked_key_ = key.value();
  StopWaiting();
  parked_since_ = loop_.Now();
  idle_timer_ = loop_.After(start_.max_idle, [this] {
    const auto alive = shared_from_this();
    Cancel();
  });
  owner_.OnParked(*this, ids);
}

void LiveTurn::OnEnd(const absl::Status& status) {
  const auto self = shared_from_this();
  end_timer_.reset();
  if (ended_) FinishAnswer();
  if (!status.ok() && !cancelled_) {
    metrics_.CountUpstreamError(cursorwire::connect::CodeText(status.code()));
  }
  if (answer_ != nullptr) {
    answer_->Fail(ApiErrorOf(
        status.ok() ? absl::InternalError("the service ended the turn without an end") : status));
  }
  StopWaiting();
  if (parked()) {
    open_.clear();
    owner_.OnUnparked(*this);
  }
  waiting_.clear();
  kept_.clear();
  // A turn that ended well without anybody who heard of it is part of its conversation now: what
  // was said before is not where that goes on any more.
  const std::string before = status.ok() || ended_ ? "" : start_.taken_key;
  owner_.OnEnded(*this, complete_key_.empty() ? before : complete_key_,
                 std::move(start_.conversation));
}

}  // namespace cursor_gateway
