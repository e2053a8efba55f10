#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_TURN_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_TURN_ANSWER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answer_writer.h"
#include "api/chat_request.h"
#include "api/fence_cutter.h"
#include "api/stop_cutter.h"
#include "chat/event_stream.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"

namespace cursor_gateway {

// Of the text of an answer, and of its reasoning.
inline constexpr size_t kMaxAnswerBytes = size_t{64} * 1024 * 1024;

// The answer of a turn to one request, streamed or whole. On the loop's thread; kept by a shared
// pointer.
//
// Order: any of Text(), Reasoning() and Calls(); then Finish() or Fail() once. Where it is
// destroyed without that, the connection is closed. Once the client is gone, all of them do
// nothing.
class TurnAnswer : public std::enable_shared_from_this<TurnAnswer> {
 public:
  // Gets what the assistant said when the answer is complete, and calls `kept`. The client hears of
  // the end then: it may go on at once.
  using BeforeEnd = std::function<void(const Message& said, const std::function<void()>& kept)>;

  // `writer` has the form that the client asked for.
  TurnAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
             const ChatCompletionRequest& request, std::unique_ptr<AnswerWriter> writer,
             BeforeEnd before_end = nullptr);

  void Text(std::string_view text);
  void Reasoning(std::string_view text);
  void Calls(const std::vector<FunctionCall>& calls);
  void Finish(FinishReason reason, const AnswerUsage& usage);
  void Fail(const ApiError& error);

  // A stop of the request came: nothing more is wanted.
  bool stopped() const { return cutter_.stopped(); }
  // The text as it was sent.
  const std::string& text() const { return said_.text; }
  // Something of the answer came.
  bool begun() const { return begun_; }

  bool gone() const { return stream_.gone(); }
  size_t unsent_bytes() const { return stream_.unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) { stream_.OnWritable(std::move(on_writable)); }
  void OnGone(std::function<void()> on_gone) { stream_.OnGone(std::move(on_gone)); }

 private:
  void SendText(std::string_view text);
  void Write(const std::string& events);
  void End(const std::string& events);

  bool streams_;
  std::unique_ptr<AnswerWriter> writer_;
  EventStream stream_;
  StopCutter cutter_;
  FenceCutter fence_;
  BeforeEnd before_end_;
  Message said_{.role = Role::kAssistant};
  size_t reasoning_bytes_ = 0;
  bool begun_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_TURN_ANSWER_H_
