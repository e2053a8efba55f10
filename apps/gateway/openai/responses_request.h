#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_

#include <absl/status/statusor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/chat_request.h"
#include "openai/input_items.h"
#include "openai/tool_table.h"

namespace cursor_gateway {

// The body of POST /v1/responses, checked. A value.
struct ResponsesRequest {
  // The same as a request of chat completions. With a former response, its messages are what is
  // new.
  ChatCompletionRequest chat{};
  // The first of them is a rule of this request alone: a later one that names this response does
  // not have it.
  bool has_instructions = false;
  ToolTable tools{};                   // how calls come back
  std::string previous_response_id{};  // empty: none
  bool store = true;
  // A summary is wanted in place of an answer, as an item of compaction.
  bool compacts = false;
  // What POST /v1/responses/compact answers beside the summary: the messages of the user; null: the
  // request came by another path.
  nlohmann::json kept_items{};
  // Members of the request that stand in the response as they came.
  nlohmann::json echo{};
};

// What is the last message of a request that wants a summary.
inline constexpr char kSummaryPrompt[] =
    "Write a summary of this conversation for an assistant that will go on with it and sees "
    "nothing "
    "else of it: what the user wants, in the user's own words where they matter; what was done and "
    "found, with names of files and commands; what was decided; what is left to do. Write the "
    "summary alone.";

enum class ResponsesPath { kResponses, kCompact };

// Source: openai/openai-openapi, CreateResponse; docs/gateway-codex.md. Parts of `body` are moved
// out of it.
//   a BadRequest() that names the field; 413 as of InputItems
absl::StatusOr<ResponsesRequest> ReadResponsesRequest(
    nlohmann::json body, const FindItem& find_item = {},
    ResponsesPath path = ResponsesPath::kResponses);

// What a body names that was said before. A value.
struct ResponseReferences {
  std::string response_id{};            // empty: none
  std::vector<std::string> item_ids{};  // each once
};

// Checks no more than that.
//   a BadRequest(): more than kMaxReferences names
absl::StatusOr<ResponseReferences> ReferencesOf(const nlohmann::json& body);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_
