#include "cursorwire/documents/builder.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/chat_error.h"
#include "cursorwire/connect/error_info.h"
#include "documents/answer.h"
#include "documents/ended_calls.h"
#include "documents/plan_reader.h"
#include "documents/text_parser.h"
#include "documents/tool_document.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Text is parsed in pieces of this size, so that the limit of memory is looked at between them: a
// small text can make many documents.
constexpr size_t kTextPiece = size_t{16} * 1024;

constexpr std::string_view kResponsePrefix = "chat_";
constexpr std::string_view kConversationPrefix = "conv_";

std::string_view SourceOf(const absl::Status& status) {
  const auto info = connect::GetErrorInfo(status).value_or(connect::ErrorInfo{});
  switch (info.origin) {
    case connect::ErrorOrigin::kServer:
      return "server";
    case connect::ErrorOrigin::kTransport:
      return "transport";
    case connect::ErrorOrigin::kProtocol:
      return "protocol";
    case connect::ErrorOrigin::kLocal:
      break;
  }
  return "local";
}

// What the service says of an error beside its message.
std::string DetailsOf(const absl::Status& status) {
  const std::optional<CursorError> told = GetCursorError(status);
  if (!told) return "";
  const bool both = !told->title.empty() && !told->detail.empty();
  return ToUtf8(told->title + (both ? ": " : "") + told->detail);
}

ResponseUsage ToResponseUsage(const Usage& usage) {
  ResponseUsage tokens{.prompt_tokens = usage.input_tokens.value_or(0),
                       .completion_tokens = usage.output_tokens.value_or(0),
                       .cache_read_tokens = usage.cache_read_tokens,
                       .cache_write_tokens = usage.cache_write_tokens,
                       .reasoning_tokens = usage.reasoning_tokens};
  // As unsigned numbers, since a peer may send any.
  tokens.total_tokens = static_cast<int64_t>(static_cast<uint64_t>(tokens.prompt_tokens) +
                                             static_cast<uint64_t>(tokens.completion_tokens));
  return tokens;
}

// A document of a tool call that has not ended.
struct OpenTool {
  ToolDocument document;
  Answer::Open open;
  steady_clock::time_point started;
  bool has_arguments = false;
  bool has_more = false;  // than its DocumentStart said
};

}  // namespace

class Builder::State {
 public:
  explicit State(BuilderOptions options);

  void Add(const ChatEvent& event);
  void AddQuery(const QueryArgs& query);
  void Finish(const absl::Status& status, std::string_view error_code = {});
  // Ends the answer if it has become too large.
  std::vector<DocumentEvent> TakeEvents();

  void set_conversation_id(std::string id);
  ChatResponse response() const;
  bool done() const { return head_.status != ResponseStatus::kStreaming; }
  const absl::Status& status() const { return status_; }

 private:
  // Each handles one kind of event.
  void On(const TextDelta& delta);
  void On(const ToolCallPartial& partial);
  void On(const ToolCallStarted& started);
  void On(const ToolCallDelta& delta);
  void On(const ToolCallCompleted& completed);
  void On(const StepStarted&) { ++steps_; }
  void On(const QuestionAsked& asked) { AddQuery(asked.question); }
  void On(const TurnEnded& ended);
  template <typename Other>
  void On(const Other&) {}

  void ShowParts(std::vector<TextPart> parts);
  void CloseText();
  // nullptr: the call has ended already, or it is not known yet which type of document it is.
  OpenTool* StartTool(const ToolCallInfo& call, bool with_arguments);
  void ReadArguments(const ToolCallInfo& call, OpenTool& tool);
  void AddContent(ToolDocument& document, Answer::Open& open);
  void CompleteTool(const ToolCallInfo& call, OpenTool& tool);
  void EndTool(const std::string& call_id);
  // Calls without an id are told apart by their order alone: another one begins.
  void EndUnnamedCall(const std::string& call_id);
  void EndTools();
  void AddError(const ErrorMetadata& error, const std::string& message);
  bool IsTooLarge() const;
  milliseconds Since(steady_clock::time_point start) const;

  const BuilderOptions options_;
  const steady_clock::time_point started_;
  ResponseHead head_;
  absl::Status status_;
  TextParser parser_;
  Answer answer_;
  std::optional<Answer::Open> text_;
  std::map<std::string, OpenTool> tools_;  // by the id of the call
  EndedCalls ended_;
  int32_t steps_ = 0;
  bool answered_ = false;  // something of the answer has come
};

namespace {

BuilderOptions WithDefaults(BuilderOptions options) {
  if (!options.clock) options.clock = [] { return steady_clock::now(); };
  if (!options.ids) options.ids = RandomIds();
  if (!options.created) options.created = std::chrono::system_clock::now();
  return options;
}

std::string ResponseId(IdSource& ids) {
  std::string id(kResponsePrefix);
  for (const char c : ids.Uuid()) {
    if (c != '-') id += c;
  }
  return id;
}

}  // namespace

Builder::State::State(BuilderOptions options)
    : options_(WithDefaults(std::move(options))),
      started_(options_.clock()),
      head_{.id = ResponseId(*options_.ids),
            .model = ToUtf8(options_.model),
            .mode = options_.mode,
            .created = *options_.created},
      parser_(options_.text_format, options_.mode),
      answer_(options_.keep_documents) {
  set_conversation_id(options_.conversation_id);
}

void Builder::State::set_conversation_id(std::string id) {
  if (!id.empty() && !id.starts_with(kConversationPrefix)) id.insert(0, kConversationPrefix);
  head_.conversation_id = ToUtf8(id);
}

void Builder::State::Add(const ChatEvent& event) {
  std::visit([this](const auto& what) { On(what); }, event.what());
}

void Builder::State::On(const TextDelta& delta) {
  if (delta.text.empty()) return;
  answered_ = true;
  for (std::string_view rest = delta.text; !rest.empty() && !IsTooLarge();) {
    const std::string_view piece = rest.substr(0, kTextPiece);
    std::vector<TextPart> parts;
    parser_.Add(piece, parts);
    ShowParts(std::move(parts));
    rest.remove_prefix(piece.size());
  }
}

void Builder::State::ShowParts(std::vector<TextPart> parts) {
  for (TextPart& part : parts) {
    if (const auto* start = std::get_if<PartStart>(&part)) {
      text_ = answer_.Start(start->metadata);
      text_->content.emplace();
    } else if (auto* content = std::get_if<PartContent>(&part)) {
      answer_.AddContent(*text_, std::move(content->text));
    } else {
      answer_.End(*text_, std::nullopt);
      text_.reset();
    }
  }
}

void Builder::State::CloseText() {
  std::vector<TextPart> parts;
  parser_.End(parts);
  ShowParts(std::move(parts));
}

void Builder::State::On(const ToolCallPartial& partial) {
  if (IsNamed(partial.call)) StartTool(partial.call, false);
}

void Builder::State::On(const ToolCallStarted& started) {
  EndUnnamedCall(started.call.call_id);
  StartTool(started.call, true);
}

void Builder::State::EndUnnamedCall(const std::string& call_id) {
  const auto found = call_id.empty() ? tools_.find(call_id) : tools_.end();
  if (found != tools_.end() && found->second.has_arguments) EndTool(call_id);
}

void Builder::State::On(const ToolCallDelta& delta) {
  const auto found = tools_.find(delta.call_id);
  if (found == tools_.end()) return;
  OpenTool& tool = found->second;
  const size_t bytes = tool.document.ReadDelta(delta.delta_json);
  answer_.Count(tool.open, bytes);
  if (bytes > 0) tool.has_more = true;
}

void Builder::State::On(const ToolCallCompleted& completed) {
  if (OpenTool* tool = StartTool(completed.call, true)) CompleteTool(completed.call, *tool);
}

OpenTool* Builder::State::StartTool(const ToolCallInfo& call, bool with_arguments) {
  answered_ = true;
  if (ended_.Contains(call.call_id)) return nullptr;
  const auto found = tools_.find(call.call_id);
  if (found != tools_.end()) {
    if (with_arguments) ReadArguments(call, found->second);
    return &found->second;
  }
  const std::optional<ToolKind> kind = KindOf(call, with_arguments);
  if (!kind) return nullptr;
  CloseText();
  ++head_.metadata.tool_call_count;
  ToolDocument document(*kind, call);
  std::optional<std::string> arguments;
  if (with_arguments) arguments = document.ReadArguments(call.arguments_json);
  Answer::Open open = answer_.Start(document.metadata());
  answer_.AddToolStart(open, document.name(), document.call_id());
  if (arguments) {
    answer_.AddArguments(open, *std::move(arguments));
    AddContent(document, open);
  }
  return &tools_
              .emplace(call.call_id, OpenTool{.document = std::move(document),
                                              .open = std::move(open),
                                              .started = options_.clock(),
                                              .has_arguments = with_arguments})
              .first->second;
}

void Builder::State::ReadArguments(const ToolCallInfo& call, OpenTool& tool) {
  if (std::exchange(tool.has_arguments, true)) return;
  answer_.AddArguments(tool.open, tool.document.ReadArguments(call.arguments_json));
  tool.has_more = true;
  AddContent(tool.document, tool.open);
}

void Builder::State::AddContent(ToolDocument& document, Answer::Open& open) {
  if (auto content = document.TakeContent()) answer_.AddContent(open, *std::move(content));
}

void Builder::State::CompleteTool(const ToolCallInfo& call, OpenTool& tool) {
  std::optional<ToolFailure> failure;
  answer_.AddResult(tool.open,
                    tool.document.ReadResult(call.result_json, Since(tool.started), failure));
  AddContent(tool.document, tool.open);
  tool.has_more = true;
  const ErrorMetadata error{.error_code = failure ? failure->word : "",
                            .source = tool.document.name(),
                            .details = failure ? ToUtf8(failure->reason) : "",
                            .document_id = tool.open.id,
                            .tool_call_id = tool.document.call_id()};
  EndTool(call.call_id);
  if (failure) AddError(error, failure->message);
}

void Builder::State::EndTool(const std::string& call_id) {
  auto node = tools_.extract(call_id);
  OpenTool& tool = node.mapped();
  answer_.End(tool.open,
              tool.has_more ? std::optional(tool.document.TakeMetadata()) : std::nullopt);
  ended_.Add(call_id);
}

// In their order.
void Builder::State::EndTools() {
  std::map<int32_t, std::string> calls;
  for (const auto& [call_id, tool] : tools_) calls.emplace(tool.open.sequence, call_id);
  for (const auto& [sequence, call_id] : calls) EndTool(call_id);
}

void Builder::State::On(const TurnEnded& ended) {
  head_.usage = ToResponseUsage(ended.usage);
  answered_ = true;
  Finish(absl::OkStatus());
}

void Builder::State::AddQuery(const QueryArgs& query) {
  ToolCallInfo call;
  if (const auto* plan = std::get_if<CreatePlanQuery>(&query)) {
    call = {.call_id = plan->call_id,
            .kind = "create_plan",
            .arguments_json = WriteJson(ArgumentsOf(*plan))};
  } else if (const auto* questions = std::get_if<AskQuestionQuery>(&query)) {
    call = {.call_id = questions->call_id,
            .kind = "ask_question",
            .arguments_json = WriteJson(ArgumentsOf(*questions))};
  } else {
    return;
  }
  // Nothing follows about a question without the id of a call.
  EndUnnamedCall(call.call_id);
  if (StartTool(call, true) != nullptr && call.call_id.empty()) EndTool(call.call_id);
}

void Builder::State::AddError(const ErrorMetadata& error, const std::string& message) {
  CloseText();
  Answer::Open open = answer_.Start(error);
  answer_.Count(open, error.source.size() + error.details.size() + error.tool_call_id.size());
  answer_.AddContent(open, ToUtf8(message));
  answer_.End(open, std::nullopt);
}

void Builder::State::Finish(const absl::Status& status, std::string_view error_code) {
  CloseText();
  EndTools();
  const TurnEnding ending = EndingOf(status);
  if (ending == TurnEnding::kFailed || ending == TurnEnding::kInterrupted) {
    if (error_code.empty()) error_code = connect::CodeText(status.code());
    AddError({.error_code = std::string(error_code),
              .source = std::string(SourceOf(status)),
              .details = DetailsOf(status)},
             std::string(status.message()));
  }
  head_.status = status.ok() ? ResponseStatus::kCompleted : ResponseStatus::kError;
  head_.metadata.duration = Since(started_);
  head_.metadata.turn_count = std::max(steps_, answered_ ? 1 : 0);
  answer_.Finish(head_);
}

std::vector<DocumentEvent> Builder::State::TakeEvents() {
  if (!done() && IsTooLarge()) {
    status_ = LocalError(absl::StatusCode::kResourceExhausted,
                         "the answer is larger than the limit of its documents");
    Finish(status_);
  }
  return answer_.TakeEvents();
}

bool Builder::State::IsTooLarge() const {
  return answer_.held_bytes() + parser_.held_bytes() + ended_.held_bytes() > options_.max_bytes;
}

milliseconds Builder::State::Since(steady_clock::time_point start) const {
  return std::chrono::duration_cast<milliseconds>(options_.clock() - start);
}

ChatResponse Builder::State::response() const {
  ChatResponse response{.head = head_, .documents = answer_.documents()};
  if (!done()) response.head.metadata.duration = Since(started_);
  return response;
}

Builder::Builder(BuilderOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Builder::~Builder() = default;
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;

std::vector<DocumentEvent> Builder::Add(const ChatEvent& event) {
  if (!state_->done()) state_->Add(event);
  return state_->TakeEvents();
}

std::vector<DocumentEvent> Builder::Add(const absl::StatusOr<ChatEvent>& element) {
  return element.ok() ? Add(*element) : Finish(element.status());
}

std::vector<DocumentEvent> Builder::AddQuery(const QueryArgs& query) {
  if (!state_->done()) state_->AddQuery(query);
  return state_->TakeEvents();
}

std::vector<DocumentEvent> Builder::Finish(const absl::Status& status,
                                           std::string_view error_code) {
  if (!state_->done()) state_->Finish(status, error_code);
  return state_->TakeEvents();
}

void Builder::set_conversation_id(std::string id) { state_->set_conversation_id(std::move(id)); }
ChatResponse Builder::response() const { return state_->response(); }
const absl::Status& Builder::status() const { return state_->status(); }

}  // namespace cursorwire::documents
