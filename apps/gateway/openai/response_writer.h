#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSE_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSE_WRITER_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer_writer.h"
#include "openai/responses_request.h"
#include "openai/tool_table.h"

namespace cursor_gateway {

// Writes an answer as OpenAI's Responses API has it. Source: openai/openai-openapi,
// ResponseStreamEvent.
class ResponseWriter final : public AnswerWriter {
 public:
  // `ids` makes the part of an id after its prefix.
  ResponseWriter(const AnswerHead& head, const ResponsesRequest& request,
                 std::function<std::string()> ids);

  std::string Text(std::string_view text) override;
  std::string Reasoning(std::string_view text) override;
  std::string Calls(const std::vector<FunctionCall>& calls) override;
  std::string Finish(FinishReason reason, std::string_view stop, const AnswerUsage& usage) override;
  std::string Fail(const ApiError& error) override;
  std::string Whole() override;
  bool NeedsText() const override { return compacts_; }
  std::string SignOfLife() override;

  // The items that are complete.
  const nlohmann::json& output() const { return response_["output"]; }

 private:
  enum class Open { kNothing, kReasoning, kMessage };

  std::string Event(const char* type, nlohmann::json value);
  std::string BeginOnce();
  std::string Call(const FunctionCall& call);
  // The events of an item that is complete at once, around those of its pieces, if it has any.
  std::string AddItem(nlohmann::json added, const std::function<std::string()>& write_pieces,
                      nlohmann::json whole);
  // The one item of an answer that is a summary.
  std::string Compaction();
  std::string OpenItem(Open kind);
  std::string CloseItem();
  // Members that name the item, or the part of it, that is open.
  nlohmann::json ItemPlace() const;
  nlohmann::json PartPlace() const;

  nlohmann::json response_;
  ToolTable tools_;
  bool compacts_;              // the text is a summary
  nlohmann::json kept_items_;  // as of ResponsesRequest
  std::function<std::string()> ids_;
  int64_t sequence_ = 0;
  bool begun_ = false;
  Open open_ = Open::kNothing;
  nlohmann::json item_;  // that is open
  std::string text_;     // of its part, or the summary
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSE_WRITER_H_
