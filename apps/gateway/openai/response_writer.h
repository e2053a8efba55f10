#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSE_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSE_WRITER_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "openai/api_error.h"
#include "openai/completion.h"
#include "openai/message.h"
#include "openai/tool_table.h"

namespace cursor_gateway {

// Writes an answer as OpenAI's Responses API has it. Each function returns the server-sent events
// to send; response() is the whole of it.
//
// Order: any of Text(), Reasoning() and Calls(); then Finish() or Fail() once. Thread-compatible.
// Source: openai/openai-openapi, ResponseStreamEvent.
class ResponseWriter {
 public:
  // `echo` and `tools` are of ResponsesRequest. `ids` makes the part of an id behind its prefix.
  ResponseWriter(CompletionHead head, nlohmann::json echo, ToolTable tools,
                 std::function<std::string()> ids);

  std::string Text(std::string_view text);
  std::string Reasoning(std::string_view text);
  std::string Calls(const std::vector<FunctionCall>& calls);
  // The one item of an answer that is a summary; in place of Text() and Calls().
  std::string Compaction(std::string_view summary);
  // An event that says nothing new.
  std::string SignOfLife();
  std::string Finish(const CompletionUsage& usage);
  std::string Fail(const ApiError& error);

  const nlohmann::json& response() const { return response_; }

 private:
  enum class Open { kNothing, kReasoning, kMessage };

  std::string Event(const char* type, nlohmann::json value);
  std::string BeginOnce();
  std::string Call(const FunctionCall& call);
  // The events of an item that is complete at once, around those of its pieces, if it has any.
  std::string AddItem(nlohmann::json added, const std::function<std::string()>& write_pieces,
                      nlohmann::json whole);
  std::string OpenItem(Open kind);
  std::string CloseItem();
  // Members that name the item, or the part of it, that is open.
  nlohmann::json ItemPlace() const;
  nlohmann::json PartPlace() const;

  nlohmann::json response_;
  ToolTable tools_;
  std::function<std::string()> ids_;
  int64_t sequence_ = 0;
  bool begun_ = false;
  Open open_ = Open::kNothing;
  nlohmann::json item_;  // that is open
  std::string text_;     // of its part
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSE_WRITER_H_
