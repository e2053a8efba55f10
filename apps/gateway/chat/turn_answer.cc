#include "chat/turn_answer.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>

#include "error_answer.h"

namespace cursor_gateway {

TurnAnswer::TurnAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                       const ChatCompletionRequest& request, std::unique_ptr<AnswerWriter> writer,
                       BeforeEnd before_end)
    : streams_(request.stream),
      writer_(std::move(writer)),
      stream_(loop, std::move(exchange),
              streams_ ? EventStream::Kind::kEvents : EventStream::Kind::kWhole),
      cutter_(request.stop),
      fence_(request.wants_json),
      before_end_(std::move(before_end)) {
  stream_.SetKeepAlive(writer_->KeepAlive());
  stream_.OnSilence([this] { return writer_->SignOfLife(); });
}

void TurnAnswer::Write(const std::string& events) {
  if (streams_) stream_.Write(events);
}

void TurnAnswer::Text(std::string_view text) {
  if (!stream_.ended()) SendText(fence_.Feed(cutter_.Feed(text)));
}

void TurnAnswer::SendText(std::string_view text) {
  if (text.empty()) return;
  begun_ = true;
  said_.text += text;
  Write(writer_->Text(text));
}

void TurnAnswer::Reasoning(std::string_view text) {
  if (stream_.ended() || text.empty()) return;
  begun_ = true;
  reasoning_bytes_ += text.size();
  if (reasoning_bytes_ <= kMaxAnswerBytes) Write(writer_->Reasoning(text));
}

void TurnAnswer::Calls(const std::vector<FunctionCall>& calls) {
  if (stream_.ended()) return;
  begun_ = true;
  // What may have been the beginning of a stop was none.
  SendText(fence_.Feed(cutter_.Finish()));
  SendText(fence_.Finish());
  said_.calls = calls;
  Write(writer_->Calls(calls));
}

void TurnAnswer::Finish(FinishReason reason, const AnswerUsage& usage) {
  if (stream_.ended()) return;
  if (!stopped()) SendText(fence_.Feed(cutter_.Finish()));
  SendText(fence_.Finish());
  if (writer_->NeedsText() && absl::StripAsciiWhitespace(said_.text).empty()) {
    return Fail(ApiErrorOf(absl::InternalError("the model has written no summary")));
  }
  if (said_.text.empty() && said_.calls.empty() && !stopped()) SendText(writer_->EmptyText());
  const std::string events = writer_->Finish(reason, cutter_.stop(), usage);
  stream_.Note(usage.turn);
  stream_.OnSilence(nullptr);  // an event that is made from now on would overtake these
  const BeforeEnd before_end = std::exchange(before_end_, nullptr);
  if (!before_end) return End(events);
  before_end(said_, [self = shared_from_this(), events] { self->End(events); });
}

void TurnAnswer::End(const std::string& events) {
  if (!streams_) return stream_.Answer(JsonAnswer(writer_->Whole()));
  stream_.Write(events);
  stream_.End();
}

void TurnAnswer::Fail(const ApiError& error) {
  if (!stream_.started()) return stream_.Answer(ErrorAnswer(writer_->Told(error)));
  stream_.Write(writer_->Fail(error));
  stream_.End();
}

}  // namespace cursor_gateway
