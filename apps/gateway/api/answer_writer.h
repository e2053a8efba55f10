#ifndef CURSORWIRE_APPS_GATEWAY_API_ANSWER_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_API_ANSWER_WRITER_H_

#include <cursorwire/chat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/api_error.h"
#include "api/message.h"

namespace cursor_gateway {

// What is the same in an answer and in all of its pieces.
struct AnswerHead {
  std::string id{};  // "chatcmpl-..."
  int64_t created = 0;
  std::string model{};  // as it was asked for
};

// How an answer ends.
enum class FinishReason { kStop, kToolCalls };

// The tokens of an answer. The service adds up all model calls of a turn, so that the input may be
// more than fits into the model at once; the context is what does.
struct AnswerUsage {
  cursorwire::Usage turn{};
  std::optional<int64_t> context_tokens{};
  std::optional<int64_t> context_window{};
};

// The same with the size of the context in the place of what was billed, for clients that take
// total_tokens for it: they shorten their history when it comes close to the window. As it is where
// the service has not told the size.
AnswerUsage WithContextAsPrompt(AnswerUsage usage);

// Writes an answer as one API has it. Each function returns the server-sent events to send.
//
// Order: any of Text(), Reasoning() and Calls(); then Finish() or Fail() once; Whole() after
// Finish(). Thread-compatible.
class AnswerWriter {
 public:
  // Whether Whole() is wanted, for which the texts are kept.
  enum class Keep { kNothing, kWhole };

  virtual ~AnswerWriter() = default;

  virtual std::string Text(std::string_view text) = 0;
  virtual std::string Reasoning(std::string_view text) = 0;
  // Their arguments are in the form of CallArguments().
  virtual std::string Calls(const std::vector<FunctionCall>& calls) = 0;
  // `stop`: the text at which the answer was cut; empty: none.
  virtual std::string Finish(FinishReason reason, std::string_view stop,
                             const AnswerUsage& usage) = 0;
  virtual std::string Fail(const ApiError& error) = 0;
  // The body of an answer that is not streamed.
  virtual std::string Whole() = 0;

  // Whether an answer without text is none, so that it fails: a client would lose what it replaces.
  virtual bool NeedsText() const { return false; }
  // What is said where the model has said nothing.
  virtual std::string_view EmptyText() const { return ""; }
  // The error as the clients of this API know it.
  virtual ApiError Told(const ApiError& error) const { return error; }
  // An event that says nothing new; empty: clients do without.
  virtual std::string SignOfLife() { return ""; }
  // What keeps a connection that is silent.
  virtual std::string KeepAlive() const { return ": keepalive\n\n"; }
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_ANSWER_WRITER_H_
