#include "chat/messages_answer.h"

#include <algorithm>

#include "anthropic/anthropic_error.h"
#include "error_answer.h"
#include "openai/concat.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

// An answer without any content is asked for again by clients, without a word.
constexpr std::string_view kNoContent = "(no content)";
constexpr int64_t kTextBytesOfToken = 4;
// Where the service does not tell the model's limit.
constexpr int64_t kUsualWindow = 200'000;

// The words at which Claude Code shortens its history; it reads the numbers.
std::string TooLong(int64_t tokens) {
  return Concat("prompt is too long: ", std::max(tokens, kUsualWindow + 1), " tokens > ",
                kUsualWindow, " maximum");
}

}  // namespace

MessagesAnswer::MessagesAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                               const MessagesRequest& request, const CompletionHead& head)
    : loop_(loop),
      streams_(request.chat.stream),
      shows_thinking_(request.shows_thinking),
      estimated_tokens_(request.estimated_tokens),
      request_id_(exchange->id()),
      stream_(loop, std::move(exchange),
              streams_ ? EventStream::Kind::kEvents : EventStream::Kind::kWhole),
      cutter_(request.chat.stop),
      writer_(head, estimated_tokens_,
              streams_ ? MessageWriter::Keep::kEvents : MessageWriter::Keep::kMessage),
      sent_(loop.Now()) {
  stream_.SetKeepAlive(MessageWriter::Ping());
  if (streams_) ShowLife();
}

void MessagesAnswer::Send(const std::string& events) {
  sent_ = loop_.Now();
  if (streams_) stream_.Write(events);
}

void MessagesAnswer::ShowLife() {
  if (stream_.ended()) return;
  if (loop_.Now() - sent_ >= kContentInterval) Send(writer_.Text(""));
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(sent_ + kContentInterval - loop_.Now());
  life_timer_ = loop_.After(left, [this] { ShowLife(); });
}

void MessagesAnswer::Text(std::string_view text) {
  if (!stream_.ended()) SendText(cutter_.Feed(text));
}

void MessagesAnswer::SendText(std::string_view text) {
  if (text.empty()) return;
  begun_ = true;
  text_ += text;
  said_bytes_ += text.size();
  Send(writer_.Text(text));
}

void MessagesAnswer::Reasoning(std::string_view text) {
  if (stream_.ended() || text.empty()) return;
  begun_ = true;
  if (!shows_thinking_) return;
  if (!streams_ && thinking_bytes_ >= kMaxAnswerBytes) return;
  thinking_bytes_ += text.size();
  Send(writer_.Thinking(text));
}

void MessagesAnswer::Calls(const std::vector<FunctionCall>& calls) {
  if (stream_.ended()) return;
  begun_ = true;
  SendText(cutter_.Finish());  // what may have been the beginning of a stop was none
  for (const FunctionCall& call : calls) said_bytes_ += call.name.size() + call.arguments.size();
  Send(writer_.Calls(calls));
}

void MessagesAnswer::Finish(FinishReason reason, const CompletionUsage& usage) {
  if (stream_.ended()) return;
  life_timer_.Cancel();
  if (!cutter_.stopped()) SendText(cutter_.Finish());
  if (said_bytes_ == 0 && cutter_.stopped()) Send(writer_.Text(""));
  if (said_bytes_ == 0 && !cutter_.stopped()) SendText(kNoContent);
  stream_.Note(usage.turn);
  const std::string_view why = reason == FinishReason::kToolCalls ? "tool_use"
                               : cutter_.stopped()                ? "stop_sequence"
                                                                  : "end_turn";
  Send(writer_.Finish(why, cutter_.stop(), Complete(usage)));
  if (streams_) {
    stream_.End();
  } else {
    stream_.Answer(JsonAnswer(CompactJson(writer_.message())));
  }
}

// Clients shorten their history by the size of the context, which they read here: where the service
// has not told it, it is estimated.
CompletionUsage MessagesAnswer::Complete(CompletionUsage usage) const {
  if (usage.turn.output_tokens.value_or(0) == 0) {
    usage.turn.output_tokens = static_cast<int64_t>(said_bytes_) / kTextBytesOfToken + 1;
  }
  if (usage.turn.input_tokens.value_or(0) == 0) usage.turn.input_tokens = estimated_tokens_;
  return WithContextAsPrompt(usage);
}

void MessagesAnswer::Fail(const ApiError& error) {
  life_timer_.Cancel();
  ApiError told = error;
  if (error.code == "context_length_exceeded") told.message = TooLong(estimated_tokens_);
  if (!stream_.started()) {
    stream_.Answer(ErrorAnswer(InAnthropicForm(told)));
    return;
  }
  stream_.Write(MessageWriter::Error(told, request_id_));
  stream_.End();
}

}  // namespace cursor_gateway
