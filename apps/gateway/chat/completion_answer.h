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
#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "openai/chat_request.h"
#include "openai/completion.h"
#include "openai/stop_cutter.h"

namespace cursor_gateway {

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
  bool gone() const { return stream_.gone(); }
  // Something of the answer came.
  bool begun() const { return begun_; }

  size_t unsent_bytes() const { return stream_.unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) { stream_.OnWritable(std::move(on_writable)); }
  void OnGone(std::function<void()> on_gone) { stream_.OnGone(std::move(on_gone)); }

 private:
  void SendText(std::string_view text);

  bool streams_ = false;
  bool include_usage_ = false;
  EventStream stream_;
  StopCutter cutter_;
  CompletionHead head_;
  ChunkWriter writer_;
  Completion completion_;
  bool begun_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_COMPLETION_ANSWER_H_
