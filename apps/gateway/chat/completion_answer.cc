#include "chat/completion_answer.h"

#include <utility>

#include "error_answer.h"

namespace cursor_gateway {

CompletionAnswer::CompletionAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                                   const ChatCompletionRequest& request, CompletionHead head)
    : streams_(request.stream),
      include_usage_(request.include_usage),
      stream_(loop, std::move(exchange),
              request.stream ? EventStream::Kind::kEvents : EventStream::Kind::kWhole),
      cutter_(request.stop),
      fence_(request.wants_json),
      head_(head),
      writer_(std::move(head)) {}

void CompletionAnswer::Text(std::string_view text) {
  if (!stream_.ended()) SendText(fence_.Feed(cutter_.Feed(text)));
}

void CompletionAnswer::SendText(std::string_view text) {
  if (text.empty()) return;
  begun_ = true;
  completion_.text += text;
  if (streams_) stream_.Write(writer_.Text(text));
}

void CompletionAnswer::Reasoning(std::string_view text) {
  if (stream_.ended() || text.empty()) return;
  begun_ = true;
  if (streams_) {
    stream_.Write(writer_.Reasoning(text));
  } else if (completion_.reasoning.size() < kMaxAnswerBytes) {
    completion_.reasoning += text;
  }
}

void CompletionAnswer::Calls(const std::vector<FunctionCall>& calls) {
  if (stream_.ended()) return;
  begun_ = true;
  // What may have been the beginning of a stop was none.
  SendText(fence_.Feed(cutter_.Finish()));
  SendText(fence_.Finish());
  completion_.calls = calls;
  if (streams_) stream_.Write(writer_.Calls(calls));
}

void CompletionAnswer::Finish(FinishReason reason, const CompletionUsage& usage) {
  if (stream_.ended()) return;
  if (!cutter_.stopped()) SendText(fence_.Feed(cutter_.Finish()));
  SendText(fence_.Finish());
  stream_.Note(usage.turn);
  if (!streams_) {
    completion_.finish_reason = reason;
    completion_.usage = usage;
    stream_.Answer(JsonAnswer(CompletionBody(head_, completion_)));
    return;
  }
  std::string events = writer_.Finish(reason);
  if (include_usage_) events += writer_.Usage(usage);
  events += ChunkWriter::Done();
  stream_.Write(events);
  stream_.End();
}

void CompletionAnswer::Fail(const ApiError& error) {
  if (!stream_.started()) {
    stream_.Answer(ErrorAnswer(error));
    return;
  }
  stream_.Write(ChunkWriter::Error(error));
  stream_.End();
}

}  // namespace cursor_gateway
