#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_COMPLETION_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_COMPLETION_WRITER_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer_writer.h"

namespace cursor_gateway {

// Writes an answer as chat completions have it: docs/gateway.md has the order of its chunks.
class CompletionWriter final : public AnswerWriter {
 public:
  // `include_usage`: a stream ends with the usage.
  CompletionWriter(AnswerHead head, bool include_usage, Keep keep);

  std::string Text(std::string_view text) override;
  std::string Reasoning(std::string_view text) override;
  std::string Calls(const std::vector<FunctionCall>& calls) override;
  std::string Finish(FinishReason reason, std::string_view stop, const AnswerUsage& usage) override;
  std::string Fail(const ApiError& error) override;
  std::string Whole() override;

 private:
  // The bytes of a chunk of text, around the text: made once, since there is one for each word.
  struct Frame {
    std::string before{};
    std::string after{};
  };

  static Frame FrameOf(const AnswerHead& head, std::string_view member);
  std::string InFrame(const Frame& frame, std::string_view text);
  // The chunk that names the role comes before all others, since the helpers of the SDKs ask for
  // it.
  std::string RoleOnce();

  AnswerHead head_;
  bool include_usage_;
  Keep keep_;
  Frame text_frame_;
  Frame reasoning_frame_;
  bool has_role_ = false;
  size_t call_count_ = 0;
  // --- of Whole()
  std::string text_;
  std::string reasoning_;
  nlohmann::json calls_;  // null: none
  nlohmann::json finish_reason_;
  nlohmann::json usage_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_COMPLETION_WRITER_H_
