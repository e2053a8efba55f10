#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_COMPLETION_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_COMPLETION_H_

#include <cursorwire/chat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openai/api_error.h"
#include "openai/message.h"

namespace cursor_gateway {

// What is the same in an answer and in all of its chunks.
struct CompletionHead {
  std::string id{};  // "chatcmpl-..."
  int64_t created = 0;
  std::string model{};  // as it was asked for
};

// How an answer ends.
enum class FinishReason { kStop, kToolCalls };

// The tokens of an answer. The service adds up all model calls of a turn, so that the input may be
// more than fits into the model at once; the context is what does.
struct CompletionUsage {
  cursorwire::Usage turn{};
  std::optional<int64_t> context_tokens{};
  std::optional<int64_t> context_window{};
};

// The same with the size of the context in the place of what was billed, for clients that take
// total_tokens for it: they shorten their history when it comes close to the window. As it is where
// the service has not told the size.
CompletionUsage WithContextAsPrompt(CompletionUsage usage);

struct Completion {
  std::string text{};
  std::string reasoning{};
  std::vector<FunctionCall> calls{};
  FinishReason finish_reason = FinishReason::kStop;
  CompletionUsage usage{};
};

// The body of an answer that is not streamed.
std::string CompletionBody(const CompletionHead& head, const Completion& completion);

// Writes an answer as server-sent events: docs/gateway.md has their order. Each function returns
// the bytes to send.
//
// Order: any of Text(), Reasoning() and Calls(); Finish(); Usage() if it was asked for; Done(). Or,
// at any point before Finish(), Error(), and nothing behind it. Thread-compatible.
class ChunkWriter {
 public:
  explicit ChunkWriter(CompletionHead head);

  std::string Text(std::string_view text);
  std::string Reasoning(std::string_view text);
  std::string Calls(const std::vector<FunctionCall>& calls);
  std::string Finish(FinishReason reason);
  std::string Usage(const CompletionUsage& usage);
  static std::string Done();
  static std::string Error(const ApiError& error);

 private:
  // The bytes of a chunk of text, around the text: made once, since there is one for each word.
  struct Frame {
    std::string before{};
    std::string after{};
  };

  static Frame FrameOf(const CompletionHead& head, std::string_view member);
  std::string InFrame(const Frame& frame, std::string_view text);
  // The chunk that names the role comes before all others, since the helpers of the SDKs ask for
  // it.
  std::string RoleOnce();

  CompletionHead head_;
  Frame text_;
  Frame reasoning_;
  bool has_role_ = false;
  size_t calls_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_COMPLETION_H_
