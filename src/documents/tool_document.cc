#include "documents/tool_document.h"

#include "base/strings.h"
#include "documents/command_reader.h"
#include "documents/file_edit_reader.h"
#include "documents/plan_reader.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {
namespace {

DocumentMetadata EmptyMetadata(const ToolKind& kind, const ToolCallInfo& call) {
  switch (kind.role) {
    case ToolRole::kToolCall:
      return ToolCallMetadata{.tool_name = ToUtf8(ToolNameOf(call)),
                              .tool_call_id = ToUtf8(call.call_id)};
    case ToolRole::kFileEdit:
      return EditOf(kind.path, FileOperation::kEdit);
    case ToolRole::kFileDelete:
      return EditOf(kind.path, FileOperation::kDelete);
    case ToolRole::kTerminalCommand:
      return TerminalCommandMetadata{};
    case ToolRole::kPlan:
      return PlanMetadata{};
    case ToolRole::kClarification:
      return ClarificationMetadata{};
    case ToolRole::kTodoUpdate:
      return TodoUpdateMetadata{};
  }
  return {};
}

// Types that cannot say so in their own metadata. That a question was not answered is no error.
bool NeedsErrorDocument(ToolRole role, const std::string& word) {
  switch (role) {
    case ToolRole::kToolCall:
    case ToolRole::kTerminalCommand:
      return false;
    case ToolRole::kClarification:
      return word == "error";
    case ToolRole::kFileEdit:
    case ToolRole::kFileDelete:
    case ToolRole::kPlan:
    case ToolRole::kTodoUpdate:
      return true;
  }
  return false;
}

}  // namespace

std::optional<ToolKind> KindOf(const ToolCallInfo& call, bool has_arguments) {
  const ToolRole role = RoleOf(call);
  if (role != ToolRole::kFileEdit && role != ToolRole::kFileDelete) return ToolKind{.role = role};
  std::string path = ToUtf8(PathOfEdit(call));
  if (!path.empty()) return ToolKind{.role = role, .path = std::move(path)};
  if (has_arguments) return ToolKind{};
  return std::nullopt;
}

ToolDocument::ToolDocument(const ToolKind& kind, const ToolCallInfo& call)
    : role_(kind.role),
      is_of_client_(call.kind == "mcp"),
      name_(ToUtf8(ToolNameOf(call))),
      call_id_(ToUtf8(call.call_id)),
      metadata_(EmptyMetadata(kind, call)) {}

std::string ToolDocument::ReadArguments(const std::string& arguments_json) {
  const Json arguments = ReadToolJson(arguments_json);
  std::string text = WriteJson(arguments);
  if (auto* call = std::get_if<ToolCallMetadata>(&metadata_)) {
    call->arguments_json = text;
  } else if (auto* edit = std::get_if<FileEditMetadata>(&metadata_)) {
    SetContent(ReadEditArguments(arguments, *edit));
    written_ = FindString(arguments, {"stream_content"});
  } else if (auto* command = std::get_if<TerminalCommandMetadata>(&metadata_)) {
    ReadCommandArguments(arguments, *command);
  } else if (auto* plan = std::get_if<PlanMetadata>(&metadata_)) {
    SetContent(ReadPlan(arguments, *plan));
  } else if (auto* questions = std::get_if<ClarificationMetadata>(&metadata_)) {
    std::string title = ReadQuestions(arguments, *questions);
    if (!title.empty()) SetContent(std::move(title));
  } else if (auto* todos = std::get_if<TodoUpdateMetadata>(&metadata_)) {
    ReadTodoChanges(arguments, *todos);
  }
  return text;
}

void ToolDocument::SetContent(std::optional<std::string> content) {
  if (!content) return;
  content_ = std::move(content);
  has_content_ = true;
}

size_t ToolDocument::ReadDelta(const std::string& delta_json) {
  auto* command = std::get_if<TerminalCommandMetadata>(&metadata_);
  if (command == nullptr) return 0;
  const size_t before = command->output.size();
  ReadCommandDelta(ReadToolJson(delta_json), *command);
  return command->output.size() - before;
}

ToolOutcome ToolDocument::ReadResult(const std::string& result_json,
                                     std::chrono::milliseconds duration,
                                     std::optional<ToolFailure>& failure) {
  ReadOutcome read = documents::ReadResult(ReadToolJson(result_json));
  if (auto* call = std::get_if<ToolCallMetadata>(&metadata_)) {
    call->result = read.outcome;
    call->duration = duration;
  } else if (auto* edit = std::get_if<FileEditMetadata>(&metadata_)) {
    if (!has_content_) SetContent(ReadEditResult(read, *edit));
    if (!has_content_ && edit->operation != FileOperation::kDelete) SetContent(written_);
  } else if (auto* command = std::get_if<TerminalCommandMetadata>(&metadata_)) {
    command->duration = duration;
    ReadCommandResult(read, is_of_client_, *command);
  }
  if (read.outcome.status == ToolStatus::kError && NeedsErrorDocument(role_, read.word)) {
    failure = ToolFailure{std::move(read.word), std::move(read.message), std::move(read.reason)};
  }
  return std::move(read.outcome);
}

}  // namespace cursorwire::documents
