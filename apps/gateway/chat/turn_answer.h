#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_TURN_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_TURN_ANSWER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "openai/api_error.h"
#include "openai/completion.h"
#include "openai/message.h"

namespace cursor_gateway {

inline constexpr size_t kMaxAnswerBytes = size_t{64} * 1024 * 1024;

// The answer of a turn to one request, in the form that its client asked for, streamed or whole. On
// the loop's thread.
//
// Order: any of Text(), Reasoning() and Calls(); then Finish() or Fail() once. Where it is
// destroyed without that, the connection is closed. Once the client is gone, all of them do
// nothing.
class TurnAnswer {
 public:
  virtual ~TurnAnswer() = default;

  virtual void Text(std::string_view text) = 0;
  virtual void Reasoning(std::string_view text) = 0;
  virtual void Calls(const std::vector<FunctionCall>& calls) = 0;
  virtual void Finish(FinishReason reason, const CompletionUsage& usage) = 0;
  virtual void Fail(const ApiError& error) = 0;

  // A stop of the request came: nothing more is wanted.
  virtual bool stopped() const = 0;
  // The text as it was sent.
  virtual const std::string& text() const = 0;
  // Something of the answer came.
  virtual bool begun() const = 0;

  virtual bool gone() const = 0;
  virtual size_t unsent_bytes() const = 0;
  virtual void OnWritable(std::function<void()> on_writable) = 0;
  virtual void OnGone(std::function<void()> on_gone) = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_TURN_ANSWER_H_
