#ifndef CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_WRITER_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "openai/api_error.h"
#include "openai/completion.h"
#include "openai/message.h"

namespace cursor_gateway {

// Writes an answer as Anthropic's Messages API has it. Each function returns the server-sent events
// to send; message() is the whole of it.
//
// Blocks are opened and closed as they are needed: one at a time, with indexes from 0 without a
// gap. Order: any of Text(), Thinking() and Calls(); then Finish() or Error() once.
// Thread-compatible. Source: docs.anthropic.com, Streaming Messages.
class MessageWriter {
 public:
  // Whether the texts are kept for message().
  enum class Keep { kEvents, kMessage };

  // `input_tokens`: an estimate for the first event.
  MessageWriter(const CompletionHead& head, int64_t input_tokens, Keep keep);

  // An empty text opens a block, too: an event that clients take for a sign of life.
  std::string Text(std::string_view text);
  std::string Thinking(std::string_view text);
  std::string Calls(const std::vector<FunctionCall>& calls);
  // `stop_sequence`: the text at which the answer was cut; empty: none.
  std::string Finish(std::string_view stop_reason, std::string_view stop_sequence,
                     const CompletionUsage& usage);
  static std::string Error(const ApiError& error, std::string_view request_id);
  static std::string Ping();

  const nlohmann::json& message() const { return message_; }

 private:
  enum class Open { kNothing, kThinking, kText };

  std::string BeginOnce();
  std::string OpenBlock(Open kind);
  std::string CloseBlock();
  std::string Delta(std::string_view type, std::string_view name, std::string_view text) const;

  nlohmann::json message_;
  Keep keep_;
  bool begun_ = false;
  Open open_ = Open::kNothing;
  std::string text_;  // of the block that is open, if it is kept
  size_t index_ = 0;  // of the block that is open, or of the next one
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_WRITER_H_
