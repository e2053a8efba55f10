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
      compacts_(request.compacts),
      kept_items_(request.kept_items),
      stream_(loop, std::move(exchange),
              request.chat.stream ? EventStream::Kind::kEvents : EventStream::Kind::kWhole),
      fence_(request.chat.wants_json),
      writer_(std::move(head), request.echo, request.tools,
              [] { return RandomText(kItemIdLength); }),
      on_finished_(std::move(on_finished)) {
  stream_.OnSilence([this] { return writer_.SignOfLife(); });
}

void ResponseAnswer::Write(const std::string& events) {
  begun_ = true;
  if (streams_) stream_.Write(events);
}

void ResponseAnswer::Text(std::string_view text) {
  if (!stream_.ended()) SendText(fence_.Feed(text));
}

void ResponseAnswer::SendText(std::string_view text) {
  if (text.empty()) return;
  said_.text += text;
  if (!compacts_) Write(writer_.Text(text));
}

void ResponseAnswer::Reasoning(std::string_view text) {
  if (!stream_.ended() && !text.empty() && !compacts_) Write(writer_.Reasoning(text));
}

void ResponseAnswer::Calls(const std::vector<FunctionCall>& calls) {
  if (stream_.ended()) return;
  SendText(fence_.Finish());
  said_.calls = calls;
  Write(writer_.Calls(calls));
}

void ResponseAnswer::Finish(FinishReason, const CompletionUsage& usage) {
  if (stream_.ended()) return;
  SendText(fence_.Finish());
  std::string events = compacts_ ? writer_.Compaction(said_.text) : "";
  events += writer_.Finish(usage);
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
    stream_.Answer(
        JsonAnswer(CompactJson(kept_items_.is_null() ? writer_.response() : Compacted())));
  }
}

// What POST /v1/responses/compact answers. Source: docs/gateway-codex.md, "Compaction".
nlohmann::json ResponseAnswer::Compacted() {
  const nlohmann::json& response = writer_.response();
  for (const nlohmann::json& item : response["output"]) kept_items_.push_back(item);
  return {{"id", response["id"]},
          {"object", "response.compaction"},
          {"created_at", response["created_at"]},
          {"output", kept_items_},
          {"usage", response["usage"]}};
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
