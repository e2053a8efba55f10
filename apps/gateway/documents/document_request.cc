#include "documents/document_request.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "api/api_error.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::AgentMode;
using cursorwire::context::CursorPosition;
using cursorwire::context::EditorContext;
using cursorwire::context::LinterError;
using cursorwire::context::OpenFile;
using cursorwire::context::TextPosition;
using cursorwire::context::TextSelection;
using cursorwire::documents::EventFormat;
using nlohmann::json;

absl::Status ReadMode(const json& body, AgentMode& mode) {
  std::string name = "agent";
  if (absl::Status status = ReadString(body, "mode", name); !status.ok()) return status;
  static const std::map<std::string_view, AgentMode> kModes = {{"agent", AgentMode::kAgent},
                                                               {"plan", AgentMode::kPlan},
                                                               {"ask", AgentMode::kAsk},
                                                               {"debug", AgentMode::kDebug}};
  const auto found = kModes.find(name);
  if (found == kModes.end()) {
    return BadRequest("'mode' must be agent, plan, ask or debug", "mode", "unsupported_value");
  }
  mode = found->second;
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

constexpr char kOpenFiles[] = "context.openFiles";
constexpr char kFilesWanted[] = "a list of paths, or of objects with a path";
constexpr char kPositionWanted[] = "an object with a line, and perhaps a column";

std::string ShownText(const json& value) {
  return value.is_string() ? value.get<std::string>() : CompactJson(value);
}

void ReadText(const json& object, const char* name, std::string& text) {
  if (const json* field = FieldOf(object, name); field != nullptr) text = ShownText(*field);
}

std::optional<int64_t> NumberOf(const json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const bool is_too_large = value.is_number_unsigned() &&
                            value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
  if (is_too_large) return std::nullopt;
  return value.get<int64_t>();
}

// Calls `read` with each element of the list of that name, until one fails.
template <typename Read>
absl::Status ReadEach(const json& context, const char* name, const char* wanted, const Read& read) {
  const json* list = FieldOf(context, name);
  if (list == nullptr) return absl::OkStatus();
  const std::string where = std::string("context.") + name;
  if (!list->is_array()) return WrongField(where, wanted);
  if (list->size() > kMaxContextElements) return WrongField(where, "a list of 10000 at most");
  for (const json& element : *list) {
    if (absl::Status status = read(element); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// nullopt: this is no position.
std::optional<TextPosition> PositionOf(const json& value) {
  if (!value.is_object()) return std::nullopt;
  const json* line = FieldOf(value, "line");
  const std::optional<int64_t> number = line == nullptr ? std::nullopt : NumberOf(*line);
  if (!number) return std::nullopt;
  TextPosition position{.line = *number};
  const json* column = FieldOf(value, "column");
  if (column == nullptr) column = FieldOf(value, "character");
  if (column == nullptr) return position;
  const std::optional<int64_t> place = NumberOf(*column);
  if (!place) return std::nullopt;
  position.column = *place;
  return position;
}

absl::Status ReadPosition(const json& object, const char* name, const char* where,
                          std::optional<TextPosition>& position) {
  const json* field = FieldOf(object, name);
  if (field == nullptr) return absl::OkStatus();
  position = PositionOf(*field);
  return position ? absl::OkStatus() : WrongField(where, kPositionWanted);
}

absl::Status ReadRules(const json& context, std::vector<std::string>& rules) {
  const json* list = FieldOf(context, "rules");
  if (list == nullptr) return absl::OkStatus();
  const auto wrong = [] {
    return WrongField("context.rules", "a list of strings, of 1 MiB at most");
  };
  if (!list->is_array()) return wrong();
  size_t bytes = 0;
  for (const json& rule : *list) {
    if (!rule.is_string()) return wrong();
    bytes += rule.get_ref<const std::string&>().size();
    if (bytes > kMaxContextRuleBytes) return wrong();
    rules.push_back(rule.get<std::string>());
  }
  return absl::OkStatus();
}

// The path of an element of a list of files; nullptr: it has none.
const std::string* PathOf(const json& file) {
  const json* path = file.is_object() ? FieldOf(file, "path") : &file;
  return path != nullptr && path->is_string() ? &path->get_ref<const std::string&>() : nullptr;
}

absl::Status ReadSelection(const json& file, OpenFile& open) {
  const json* field = FieldOf(file, "selection");
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_object()) return WrongField("context.openFiles.selection", "an object");
  TextSelection selection;
  absl::Status status =
      ReadPosition(*field, "start", "context.openFiles.selection.start", selection.start);
  if (status.ok()) {
    status = ReadPosition(*field, "end", "context.openFiles.selection.end", selection.end);
  }
  if (status.ok()) {
    status = ReadString(*field, "text", selection.text, "context.openFiles.selection.");
  }
  open.selection = std::move(selection);
  return status;
}

absl::Status ReadOpenFile(const json& file, OpenFile& open) {
  const std::string* path = PathOf(file);
  if (path == nullptr) return WrongField(kOpenFiles, kFilesWanted);
  open.path = *path;
  if (!file.is_object()) return absl::OkStatus();
  absl::Status status = ReadPosition(file, "cursor", "context.openFiles.cursor", open.cursor);
  if (status.ok()) status = ReadSelection(file, open);
  if (!status.ok() || FieldOf(file, "content") == nullptr) return status;
  return ReadString(file, "content", open.content.emplace(), "context.openFiles.");
}

absl::Status ReadRecentFile(const json& file, std::vector<std::string>& files) {
  const std::string* path = PathOf(file);
  if (path == nullptr) return WrongField("context.recentFiles", kFilesWanted);
  files.push_back(*path);
  return absl::OkStatus();
}

absl::Status ReadCursor(const json& context, std::optional<CursorPosition>& cursor) {
  const json* field = FieldOf(context, "cursorPosition");
  if (field == nullptr) return absl::OkStatus();
  const std::optional<TextPosition> position = PositionOf(*field);
  if (!position) return WrongField("context.cursorPosition", kPositionWanted);
  cursor = CursorPosition{.position = *position};
  return ReadString(*field, "path", cursor->path, "context.cursorPosition.");
}

LinterError LinterErrorOf(const json& value) {
  LinterError error;
  if (!value.is_object() || FieldOf(value, "message") == nullptr) {
    error.message = ShownText(value);
    return error;
  }
  ReadText(value, "path", error.path);
  error.position = PositionOf(value);
  ReadText(value, "severity", error.severity);
  ReadText(value, "message", error.message);
  ReadText(value, "source", error.source);
  ReadText(value, "code", error.code);
  return error;
}

}  // namespace

absl::StatusOr<EditorContext> ReadEditorContext(const json& context) {
  if (!context.is_object()) return WrongField("context", "an object");
  EditorContext shown;
  absl::Status status = ReadRules(context, shown.instructions);
  if (status.ok()) {
    status = ReadString(context, "workspacePath", shown.workspace_path, "context.");
  }
  if (status.ok()) status = ReadCursor(context, shown.cursor);
  if (status.ok()) {
    status = ReadEach(context, "openFiles", kFilesWanted, [&shown](const json& file) {
      return ReadOpenFile(file, shown.open_files.emplace_back());
    });
  }
  if (status.ok()) {
    status = ReadEach(context, "recentFiles", kFilesWanted, [&shown](const json& file) {
      return ReadRecentFile(file, shown.recent_files);
    });
  }
  if (status.ok()) {
    status = ReadEach(context, "linterErrors", "a list", [&shown](const json& error) {
      shown.linter_errors.push_back(LinterErrorOf(error));
      return absl::OkStatus();
    });
  }
  if (!status.ok()) return status;
  ReadText(context, "projectLayout", shown.project_layout);
  ReadText(context, "gitStatus", shown.git_status);
  return shown;
}

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
  if (decision.reason.size() > kMaxReasonBytes) {
    return WrongField("reason", "a text of at most 4096 bytes");
  }
  return decision;
}

}  // namespace cursor_gateway
