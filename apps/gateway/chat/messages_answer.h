#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_MESSAGES_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_MESSAGES_ANSWER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anthropic/message_writer.h"
#include "anthropic/messages_request.h"
#include "chat/event_stream.h"
#include "chat/turn_answer.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "openai/stop_cutter.h"

namespace cursor_gateway {

// Claude Code gives up on a stream that has had no event of content for 300 s, whatever else comes.
inline constexpr std::chrono::seconds kContentInterval{120};

// The answer to one request of Anthropic's Messages API.
class MessagesAnswer final : public TurnAnswer {
 public:
  MessagesAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                 const MessagesRequest& request, const CompletionHead& head);

  void Text(std::string_view text) override;
  void Reasoning(std::string_view text) override;
  void Calls(const std::vector<FunctionCall>& calls) override;
  void Finish(FinishReason reason, const CompletionUsage& usage) override;
  void Fail(const ApiError& error) override;

  bool stopped() const override { return cutter_.stopped(); }
  const std::string& text() const override { return text_; }
  bool begun() const override { return begun_; }

  bool gone() const override { return stream_.gone(); }
  size_t unsent_bytes() const override { return stream_.unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) override {
    stream_.OnWritable(std::move(on_writable));
  }
  void OnGone(std::function<void()> on_gone) override { stream_.OnGone(std::move(on_gone)); }

 private:
  void SendText(std::string_view text);
  void Send(const std::string& events);
  // Looks from time to time whether anything of the content came.
  void ShowLife();
  CompletionUsage Complete(CompletionUsage usage) const;

  EventLoop& loop_;
  bool streams_ = false;
  bool shows_thinking_ = false;
  int64_t estimated_tokens_ = 0;  // of the request
  std::string request_id_;
  EventStream stream_;
  StopCutter cutter_;
  MessageWriter writer_;
  std::string text_;
  size_t thinking_bytes_ = 0;  // kept
  size_t said_bytes_ = 0;      // of text and calls
  bool begun_ = false;
  TimePoint sent_;  // when the last content was
  EventLoop::Timer life_timer_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_MESSAGES_ANSWER_H_
