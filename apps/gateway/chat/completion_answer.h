#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "openai/chat_request.h"
#include "openai/completion.h"
#include "openai/stop_cutter.h"

namespace cursor_gateway {

// A stream waits so long for its first event, so that an early error still has its own status.
inline constexpr std::chrono::seconds kHeadersWait{10};
inline constexpr std::chrono::seconds kKeepAliveInterval{15};
inline constexpr size_t kMaxAnswerBytes = size_t{64} * 1024 * 1024;

// The answer to one request of chat completions, streamed or whole. On the loop's thread.
//
// Order: any of Text(), Reasoning() and Calls(); then Finish() or Fail() once. Where it is
// destroyed without that, the connection is closed. Once the client is gone, all of them do
// nothing.
class CompletionAnswer {
 public:
  CompletionAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                   const ChatCompletionRequest& request, CompletionHead head);
  CompletionAnswer(const CompletionAnswer&) = delete;
  CompletionAnswer& operator=(const CompletionAnswer&) = delete;
  ~CompletionAnswer();

  void Text(std::string_view text);
  void Reasoning(std::string_view text);
  void Calls(const std::vector<FunctionCall>& calls);
  void Finish(FinishReason reason, const CompletionUsage& usage);
  void Fail(const ApiError& error);

  // A stop of the request came: nothing more is wanted.
  bool stopped() const { return cutter_.stopped(); }
  // The answer is longer than kMaxAnswerBytes.
  bool is_too_long() const { return completion_.text.size() > kMaxAnswerBytes; }
  // The text as it was sent.
  const std::string& text() const { return completion_.text; }
  bool gone() const { return gone_; }
  // Something of the answer came.
  bool begun() const { return begun_; }

  size_t unsent_bytes() const { return exchange_->unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable);
  void OnGone(std::function<void()> on_gone) { on_gone_ = std::move(on_gone); }

 private:
  void Begin();
  void StartStream();
  void Write(const std::string& events);
  void KeepAlive();
  void SendText(std::string_view text);

  EventLoop& loop_;
  std::shared_ptr<HttpExchange> exchange_;
  bool stream_ = false;
  bool include_usage_ = false;
  StopCutter cutter_;
  CompletionHead head_;
  ChunkWriter writer_;
  Completion completion_;
  bool begun_ = false;
  bool headers_sent_ = false;
  bool finished_ = false;
  bool gone_ = false;
  std::function<void()> on_gone_;
  EventLoop::Timer headers_timer_;
  EventLoop::Timer keep_alive_timer_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_
