#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chat/event_stream.h"
#include "chat/turn_answer.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "openai/chat_request.h"
#include "openai/completion.h"
#include "openai/fence_cutter.h"
#include "openai/stop_cutter.h"

namespace cursor_gateway {

// The answer to one request of chat completions.
class CompletionAnswer final : public TurnAnswer {
 public:
  CompletionAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                   const ChatCompletionRequest& request, CompletionHead head);

  void Text(std::string_view text) override;
  void Reasoning(std::string_view text) override;
  void Calls(const std::vector<FunctionCall>& calls) override;
  void Finish(FinishReason reason, const CompletionUsage& usage) override;
  void Fail(const ApiError& error) override;

  bool stopped() const override { return cutter_.stopped(); }
  const std::string& text() const override { return completion_.text; }
  bool begun() const override { return begun_; }

  bool gone() const override { return stream_.gone(); }
  size_t unsent_bytes() const override { return stream_.unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) override {
    stream_.OnWritable(std::move(on_writable));
  }
  void OnGone(std::function<void()> on_gone) override { stream_.OnGone(std::move(on_gone)); }

 private:
  void SendText(std::string_view text);

  bool streams_ = false;
  bool include_usage_ = false;
  EventStream stream_;
  StopCutter cutter_;
  FenceCutter fence_;
  CompletionHead head_;
  ChunkWriter writer_;
  Completion completion_;
  bool begun_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_
