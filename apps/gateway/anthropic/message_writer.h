#ifndef CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "anthropic/messages_request.h"
#include "api/answer_writer.h"

namespace cursor_gateway {

// Writes an answer as Anthropic's Messages API has it. Blocks are opened and closed as they are
// needed: one at a time, with indexes from 0 without a gap. Source: docs.anthropic.com, Streaming
// Messages.
class MessageWriter final : public AnswerWriter {
 public:
  // `request_id` is told with errors.
  MessageWriter(const AnswerHead& head, const MessagesRequest& request, std::string request_id,
                Keep keep);

  // An empty text opens a block, too: an event that clients take for a sign of life.
  std::string Text(std::string_view text) override;
  std::string Reasoning(std::string_view text) override;
  std::string Calls(const std::vector<FunctionCall>& calls) override;
  std::string Finish(FinishReason reason, std::string_view stop, const AnswerUsage& usage) override;
  std::string Fail(const ApiError& error) override;
  std::string Whole() override;
  // An answer without any content is asked for again by clients, without a word.
  std::string_view EmptyText() const override { return "(no content)"; }
  ApiError Told(const ApiError& error) const override;
  // Claude Code gives up on a stream that has had no event of content for 300 s, whatever else
  // comes.
  std::string SignOfLife() override { return Text(""); }
  std::string KeepAlive() const override;

 private:
  enum class Open { kNothing, kThinking, kText };

  std::string BeginOnce();
  std::string OpenBlock(Open kind);
  std::string CloseBlock();
  std::string Delta(std::string_view type, std::string_view name, std::string_view text) const;

  AnswerUsage Complete(AnswerUsage usage) const;

  nlohmann::json message_;
  bool shows_thinking_;
  int64_t estimated_tokens_;  // of the request
  std::string request_id_;
  Keep keep_;
  size_t said_bytes_ = 0;  // of text and calls
  bool begun_ = false;
  Open open_ = Open::kNothing;
  std::string text_;  // of the block that is open, if it is kept
  size_t index_ = 0;  // of the block that is open, or of the next one
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_WRITER_H_
