#include "documents/document_request.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "documents/context_reader.h"
#include "json/json_field.h"
#include "openai/api_error.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::AgentMode;
using cursorwire::documents::EventFormat;
using nlohmann::json;

absl::Status ReadMode(const json& body, AgentMode& mode) {
  std::string name = "agent";
  if (absl::Status status = ReadString(body, "mode", name); !status.ok()) return status;
  if (name == "agent") {
    mode = AgentMode::kAgent;
  } else if (name == "plan") {
    mode = AgentMode::kPlan;
  } else if (name == "ask") {
    mode = AgentMode::kAsk;
  } else if (name == "debug") {
    mode = AgentMode::kDebug;
  } else {
    return BadRequest("'mode' must be agent, plan, ask or debug", "mode", "unsupported_value");
  }
  return absl::OkStatus();
}

absl::Status ReadStream(const json& body, DocumentRequest& request) {
  absl::Status status = ReadFlag(body, "stream", request.stream);
  if (status.ok()) status = ReadFlag(body, "thinking", request.thinking);
  if (!status.ok()) return status;
  std::string format = "events";
  status = ReadString(body, "streamFormat", format);
  if (!status.ok()) return status;
  if (format != "events" && format != "data") {
    return BadRequest("'streamFormat' must be events or data", "streamFormat", "unsupported_value");
  }
  request.format = format == "data" ? EventFormat::kSseData : EventFormat::kSse;
  return absl::OkStatus();
}

absl::StatusOr<json> ReadDocumentBody(std::string_view body) {
  absl::StatusOr<json> value = ReadJson(body);
  if (value.ok() && !value->is_object()) return BadRequest("the body must be a JSON object", "");
  return value;
}

}  // namespace

absl::StatusOr<DocumentRequest> ReadDocumentRequest(std::string_view body) {
  const absl::StatusOr<json> value = ReadDocumentBody(body);
  if (!value.ok()) return value.status();
  DocumentRequest request;
  if (absl::Status status = ReadString(*value, "model", request.model); !status.ok()) return status;
  if (request.model.empty()) return WrongField("model", "the id of a model");
  if (absl::Status status = ReadMode(*value, request.mode); !status.ok()) return status;
  const json* messages = FieldOf(*value, "messages");
  if (messages == nullptr) return MissingField("messages");
  absl::StatusOr<std::vector<Message>> read = ReadMessages(*messages);
  if (!read.ok()) return read.status();
  request.messages = *std::move(read);
  absl::Status status = ReadString(*value, "conversationId", request.conversation_id);
  if (status.ok()) status = ReadStream(*value, request);
  if (!status.ok()) return status;
  if (const json* context = FieldOf(*value, "context"); context != nullptr) {
    absl::StatusOr<cursorwire::context::EditorContext> shown = ReadEditorContext(*context);
    if (!shown.ok()) return shown.status();
    request.context = *std::move(shown);
  }
  const json* tools = FieldOf(*value, "tools");
  if (tools == nullptr) tools = FieldOf(*value, "availableTools");
  if (tools != nullptr) {
    absl::StatusOr<ToolRules> rules = ToolRules::Read(*tools);
    if (!rules.ok()) return rules.status();
    request.tools = *std::move(rules);
  }
  return request;
}

absl::StatusOr<ApprovalDecision> ReadApprovalDecision(std::string_view body) {
  const absl::StatusOr<json> value = ReadDocumentBody(body);
  if (!value.ok()) return value.status();
  ApprovalDecision decision;
  const json* approve = FieldOf(*value, "approve");
  if (approve == nullptr || !approve->is_boolean()) return WrongField("approve", "a boolean");
  decision.approve = approve->get<bool>();
  if (absl::Status status = ReadString(*value, "reason", decision.reason); !status.ok()) {
    return status;
  }
  return decision;
}

}  // namespace cursor_gateway
