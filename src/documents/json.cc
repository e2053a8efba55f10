#include "cursorwire/documents/event_format.h"

#include <array>
#include <chrono>
#include <ctime>
#include <string_view>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {
namespace {

using std::chrono::milliseconds;

// Members stand in the order in which the guide has them. Only for objects of this file's own,
// which are small: finding a member takes as long as there are members.
using Ordered = nlohmann::ordered_json;

// The words of each enum, in its order.
constexpr std::string_view kFormats[] = {"markdown", "plain"};
constexpr std::string_view kPurposes[] = {"new_code", "example", "suggestion"};
constexpr std::string_view kOperations[] = {"create", "edit", "delete", "rename"};
constexpr std::string_view kToolStatuses[] = {"success", "error"};
constexpr std::string_view kTodoStatuses[] = {"pending", "in_progress", "completed", "cancelled"};
constexpr std::string_view kModes[] = {"agent", "plan", "ask", "debug"};
constexpr std::string_view kResponseStatuses[] = {"streaming", "completed", "error"};

template <typename Enum, size_t N>
std::string_view Word(const std::string_view (&words)[N], Enum value) {
  return words[static_cast<size_t>(value)];
}

template <typename T>
Ordered OrNull(const std::optional<T>& value) {
  return value ? Ordered(*value) : Ordered(nullptr);
}

Ordered OrNull(const std::optional<milliseconds>& value) {
  return value ? Ordered(value->count()) : Ordered(nullptr);
}

// JSON text that this library or a Builder's user made.
Ordered Parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? Ordered(text) : Ordered(value);
}

Ordered MetadataJson(const TextMetadata& text) { return {{"format", Word(kFormats, text.format)}}; }

Ordered MetadataJson(const CodeReferenceMetadata& code) {
  return {{"filePath", code.file_path},
          {"startLine", code.start_line},
          {"endLine", code.end_line},
          {"language", code.language}};
}

Ordered MetadataJson(const CodeBlockMetadata& code) {
  Ordered object = {{"language", code.language}, {"purpose", Word(kPurposes, code.purpose)}};
  if (!code.file_path.empty()) object["filePath"] = code.file_path;
  return object;
}

Ordered MetadataJson(const FileEditMetadata& edit) {
  Ordered diff = nullptr;
  if (edit.diff) {
    diff = {{"oldString", edit.diff->old_string},
            {"newString", edit.diff->new_string},
            {"startLine", OrNull(edit.diff->start_line)},
            {"endLine", OrNull(edit.diff->end_line)}};
  }
  return {{"filePath", edit.file_path},
          {"operation", Word(kOperations, edit.operation)},
          {"language", edit.language},
          {"diff", std::move(diff)}};
}

Ordered OutcomeJson(const ToolOutcome& outcome) {
  return {{"status", Word(kToolStatuses, outcome.status)}, {"data", Parsed(outcome.data_json)}};
}

Ordered MetadataJson(const ToolCallMetadata& call) {
  return {{"toolName", call.tool_name},
          {"toolCallId", call.tool_call_id},
          {"arguments", Parsed(call.arguments_json)},
          {"result", call.result ? OutcomeJson(*call.result) : Ordered(nullptr)},
          {"duration_ms", OrNull(call.duration)}};
}

Ordered MetadataJson(const TerminalCommandMetadata& command) {
  return {
      {"command", command.command},
      {"workingDirectory", command.working_directory},
      {"exitCode", OrNull(command.exit_code)},
      {"output", command.output},
      {"status", command.status ? Ordered(Word(kToolStatuses, *command.status)) : Ordered(nullptr)},
      {"duration_ms", OrNull(command.duration)},
      {"permissions", command.permissions}};
}

Ordered MetadataJson(const PlanMetadata& plan) {
  Ordered todos = Ordered::array();
  for (const PlanTodo& todo : plan.todos) {
    todos.push_back({{"id", todo.id},
                     {"content", todo.content},
                     {"status", Word(kTodoStatuses, todo.status)},
                     {"dependencies", todo.dependencies}});
  }
  return {{"title", plan.title},
          {"overview", plan.overview},
          {"todos", std::move(todos)},
          {"format", Word(kFormats, TextFormat::kMarkdown)}};
}

Ordered MetadataJson(const ClarificationMetadata& clarification) {
  Ordered questions = Ordered::array();
  for (const Question& question : clarification.questions) {
    Ordered options = Ordered::array();
    for (const QuestionOption& option : question.options) {
      options.push_back({{"id", option.id}, {"label", option.label}});
    }
    questions.push_back(
        {{"id", question.id}, {"text", question.text}, {"options", std::move(options)}});
  }
  return {{"questions", std::move(questions)}};
}

Ordered MetadataJson(const ErrorMetadata& error) {
  Ordered object = {
      {"errorCode", error.error_code}, {"source", error.source}, {"details", error.details}};
  if (!error.document_id.empty()) {
    object["documentId"] = error.document_id;
    object["toolCallId"] = error.tool_call_id;
  }
  return object;
}

Ordered MetadataJson(const TodoUpdateMetadata& update) {
  Ordered todos = Ordered::array();
  for (const TodoChange& todo : update.todos) {
    todos.push_back({{"id", todo.id}, {"status", Word(kTodoStatuses, todo.status)}});
  }
  return {{"todos", std::move(todos)}};
}

Ordered MetadataJson(const DocumentMetadata& metadata) {
  return std::visit([](const auto& what) { return MetadataJson(what); }, metadata);
}

Ordered UsageJson(const ResponseUsage& usage) {
  Ordered object = {{"promptTokens", usage.prompt_tokens},
                    {"completionTokens", usage.completion_tokens},
                    {"totalTokens", usage.total_tokens}};
  if (usage.cache_read_tokens) object["cacheReadTokens"] = *usage.cache_read_tokens;
  if (usage.cache_write_tokens) object["cacheWriteTokens"] = *usage.cache_write_tokens;
  if (usage.reasoning_tokens) object["reasoningTokens"] = *usage.reasoning_tokens;
  return object;
}

std::string Text(const Ordered& object) {
  return EscapeLineSeparators(object.dump(-1, ' ', false, Ordered::error_handler_t::replace));
}

// ISO 8601, UTC.
std::string TimeText(std::chrono::system_clock::time_point time) {
  const std::time_t clock =
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  ::gmtime_r(&clock, &parts);
  std::array<char, 64> date{};
  const size_t size = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(date.data(), size);
}

Ordered HeadJson(const ResponseHead& head) {
  return {{"id", head.id},
          {"conversationId", head.conversation_id},
          {"model", head.model},
          {"mode", Word(kModes, head.mode)},
          {"created", TimeText(head.created)},
          {"status", Word(kResponseStatuses, head.status)}};
}

void AddTotals(const ResponseHead& head, Ordered& object) {
  object["usage"] = UsageJson(head.usage);
  object["metadata"] = {{"duration_ms", head.metadata.duration.count()},
                        {"toolCallCount", head.metadata.tool_call_count},
                        {"turnCount", head.metadata.turn_count}};
}

Ordered DocumentJson(const Document& document) {
  return {{"id", document.id},
          {"type", TypeName(document.metadata)},
          {"sequence", document.sequence},
          {"content", OrNull(document.content)},
          {"metadata", MetadataJson(document.metadata)}};
}

Ordered EventJson(const DocumentStart& start) {
  return {{"id", start.document_id},
          {"type", TypeName(start.metadata)},
          {"sequence", start.sequence},
          {"metadata", MetadataJson(start.metadata)}};
}

Ordered EventJson(const ContentDelta& delta) {
  return {{"documentId", delta.document_id}, {"delta", delta.delta}};
}

Ordered EventJson(const ToolCallStart& start) {
  return {{"documentId", start.document_id},
          {"toolName", start.tool_name},
          {"toolCallId", start.tool_call_id}};
}

Ordered EventJson(const ToolCallArguments& arguments) {
  return {{"documentId", arguments.document_id}, {"arguments", Parsed(arguments.arguments_json)}};
}

Ordered EventJson(const ToolResult& result) {
  return {{"documentId", result.document_id}, {"result", OutcomeJson(result.result)}};
}

Ordered EventJson(const DocumentEnd& end) {
  Ordered object = {{"documentId", end.document_id}};
  if (end.final_content) object["finalContent"] = *end.final_content;
  if (end.metadata) object["metadata"] = MetadataJson(*end.metadata);
  return object;
}

Ordered EventJson(const Done& done) {
  Ordered object = HeadJson(done.head);
  AddTotals(done.head, object);
  return object;
}

}  // namespace

std::string_view TypeName(const DocumentMetadata& metadata) {
  constexpr std::string_view kNames[] = {
      "text", "code_reference", "code_block", "file_edit",  "tool_call", "terminal_command",
      "plan", "clarification",  "error",      "todo_update"};
  static_assert(std::size(kNames) == std::variant_size_v<DocumentMetadata>);
  return kNames[metadata.index()];
}

std::string_view EventName(const DocumentEvent& event) {
  constexpr std::string_view kNames[] = {
      "document_start", "content_delta", "tool_call_start", "tool_call_arguments", "tool_result",
      "document_end",   "done"};
  static_assert(std::size(kNames) == std::variant_size_v<DocumentEvent>);
  return kNames[event.index()];
}

std::string ToJson(const ChatResponse& response) {
  Ordered object = HeadJson(response.head);
  Ordered documents = Ordered::array();
  for (const Document& document : response.documents) documents.push_back(DocumentJson(document));
  object["documents"] = std::move(documents);
  AddTotals(response.head, object);
  return Text(object);
}

std::string ToJson(const DocumentEvent& event) {
  Ordered object = {{"event", EventName(event)}};
  object.update(std::visit([](const auto& what) { return EventJson(what); }, event));
  return Text(object);
}

}  // namespace cursorwire::documents
