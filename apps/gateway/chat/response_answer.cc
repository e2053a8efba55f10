#include "chat/response_answer.h"

#include "error_answer.h"
#include "openai/json_text.h"
#include "random_text.h"

namespace cursor_gateway {
namespace {
constexpr size_t kItemIdLength = 24;
}  // namespace

ResponseAnswer::ResponseAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                               const ResponsesRequest& request, CompletionHead head,
                               Finished on_finished)
    : streams_(request.chat.stream),
      stream_(loop, std::move(exchange),
              request.chat.stream ? EventStream::Kind::kEvents : EventStream::Kind::kWhole),
      writer_(std::move(head), request.echo, [] { return RandomText(kItemIdLength); }),
      on_finished_(std::move(on_finished)) {}

void ResponseAnswer::Write(const std::string& events) {
  begun_ = true;
  if (streams_) stream_.Write(events);
}

void ResponseAnswer::Text(std::string_view text) {
  if (stream_.ended() || text.empty()) return;
  said_.text += text;
  Write(writer_.Text(text));
}

void ResponseAnswer::Reasoning(std::string_view text) {
  if (!stream_.ended() && !text.empty()) Write(writer_.Reasoning(text));
}

void ResponseAnswer::Calls(const std::vector<FunctionCall>& calls) {
  if (stream_.ended()) return;
  said_.calls = calls;
  Write(writer_.Calls(calls));
}

void ResponseAnswer::Finish(FinishReason, const CompletionUsage& usage) {
  if (stream_.ended()) return;
  const std::string events = writer_.Finish(usage);
  stream_.Note(usage.turn);
  begun_ = true;
  const Finished on_finished = std::exchange(on_finished_, nullptr);
  if (!on_finished) return End(events);
  on_finished(said_, writer_.response()["output"],
              [self = shared_from_this(), events] { self->End(events); });
}

void ResponseAnswer::End(const std::string& events) {
  Write(events);
  if (streams_) {
    stream_.End();
  } else {
    stream_.Answer(JsonAnswer(CompactJson(writer_.response())));
  }
}

void ResponseAnswer::Fail(const ApiError& error) {
  if (!stream_.started()) {
    stream_.Answer(ErrorAnswer(error));
    return;
  }
  stream_.Write(writer_.Fail(error));
  stream_.End();
}

}  // namespace cursor_gateway
