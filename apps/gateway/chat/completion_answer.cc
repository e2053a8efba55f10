#include "chat/completion_answer.h"

#include <utility>

#include "error_answer.h"

namespace cursor_gateway {

CompletionAnswer::CompletionAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                                   const ChatCompletionRequest& request, CompletionHead head)
    : loop_(loop),
      exchange_(std::move(exchange)),
      stream_(request.stream),
      include_usage_(request.include_usage),
      cutter_(request.stop),
      head_(head),
      writer_(std::move(head)) {
  exchange_->OnGone([this] {
    gone_ = true;
    headers_timer_.Cancel();
    keep_alive_timer_.Cancel();
    if (const auto on_gone = std::exchange(on_gone_, nullptr)) on_gone();
  });
  if (stream_) headers_timer_ = loop_.After(kHeadersWait, [this] { StartStream(); });
}

CompletionAnswer::~CompletionAnswer() {
  exchange_->OnGone(nullptr);
  exchange_->OnWritable(nullptr);
  if (!finished_ && !gone_) exchange_->Abort();
}

void CompletionAnswer::Text(std::string_view text) {
  if (finished_ || gone_) return;
  SendText(cutter_.Feed(text));
}

void CompletionAnswer::SendText(std::string_view text) {
  if (text.empty()) return;
  Begin();
  completion_.text += text;
  if (stream_) Write(writer_.Text(text));
}

void CompletionAnswer::Reasoning(std::string_view text) {
  if (finished_ || gone_ || text.empty()) return;
  Begin();
  if (stream_) {
    Write(writer_.Reasoning(text));
  } else if (completion_.reasoning.size() < kMaxAnswerBytes) {
    completion_.reasoning += text;
  }
}

void CompletionAnswer::Calls(const std::vector<FunctionCall>& calls) {
  if (finished_ || gone_) return;
  Begin();
  completion_.calls = calls;
  if (stream_) Write(writer_.Calls(calls));
}

void CompletionAnswer::Finish(FinishReason reason, const CompletionUsage& usage) {
  if (finished_ || gone_) return;
  if (!cutter_.stopped()) SendText(cutter_.Finish());
  finished_ = true;
  if (!stream_) {
    completion_.finish_reason = reason;
    completion_.usage = usage;
    exchange_->Answer(JsonAnswer(CompletionBody(head_, completion_)));
    return;
  }
  StartStream();
  std::string events = writer_.Finish(reason);
  if (include_usage_) events += writer_.Usage(usage);
  events += ChunkWriter::Done();
  Write(events);
  keep_alive_timer_.Cancel();
  exchange_->EndStream();
}

void CompletionAnswer::Fail(const ApiError& error) {
  if (finished_ || gone_) return;
  finished_ = true;
  headers_timer_.Cancel();
  if (!headers_sent_) {
    exchange_->Answer(ErrorAnswer(error));
    return;
  }
  Write(ChunkWriter::Error(error));
  keep_alive_timer_.Cancel();
  exchange_->EndStream();
}

void CompletionAnswer::OnWritable(std::function<void()> on_writable) {
  exchange_->OnWritable(std::move(on_writable));
}

void CompletionAnswer::Begin() {
  begun_ = true;
  if (stream_) StartStream();
}

void CompletionAnswer::StartStream() {
  headers_timer_.Cancel();
  if (std::exchange(headers_sent_, true)) return;
  exchange_->StartStream(200, {{"Content-Type", "text/event-stream; charset=utf-8"},
                               {"Cache-Control", "no-cache, no-transform"},
                               {"X-Accel-Buffering", "no"}});
  KeepAlive();
}

void CompletionAnswer::Write(const std::string& events) {
  exchange_->Write(events);
  KeepAlive();
}

// Proxies and clients take a long silence for a dead connection.
void CompletionAnswer::KeepAlive() {
  keep_alive_timer_ = loop_.After(kKeepAliveInterval, [this] { Write(ChunkWriter::KeepAlive()); });
}

}  // namespace cursor_gateway
