// Makes documents of a turn, with its text as it came and with it cut into pieces: both must be the
// same documents; the events must give the response; all must follow the schema.
//
// Input: byte 0 chooses the mode (bits 0 and 1), whether documents are kept (bit 2) and how the
// turn ends (bits 3 and 4); byte 1 is the size of the pieces. Then come actions: a byte, of which
// the low half chooses, and the high half is the id of a call; and strings, each with its length in
// two bytes.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/documents.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "support/json_schema.h"
#include "support/source_folder.h"

namespace {

using cursorwire::ChatEvent;
using cursorwire::ToolCallInfo;
using cursorwire::documents::Builder;
using cursorwire::documents::BuilderOptions;
using cursorwire::documents::ChatResponse;
using cursorwire::documents::ChatResponseBuilder;
using cursorwire::documents::Document;
using cursorwire::documents::DocumentEvent;
using cursorwire::documents::Done;
using cursorwire::documents::ToolCallArguments;
using cursorwire::documents::ToolCallMetadata;
using cursorwire::documents::ToolOutcome;
using cursorwire::documents::ToolResult;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using nlohmann::json;

constexpr size_t kMaxBytes = 20'000;
constexpr const char* kKinds[] = {
    "edit", "delete", "shell", "create_plan", "ask_question", "read", "update_todos", "mcp", ""};
constexpr const char* kNames[] = {"write", "search_replace", "todo_write", "get_weather", ""};

class SameIds final : public cursorwire::IdSource {
 public:
  std::string Uuid() override { return "1"; }
};

const cursorwire::test::JsonSchema& Schema() {
  static const auto& schema = *new cursorwire::test::JsonSchema([] {
    std::ifstream file(cursorwire::test::SourceFolder() + "/docs/chat-response.schema.json");
    return json::parse(file);
  }());
  return schema;
}

void CheckSchema(const std::string& text, const std::string& definition) {
  const std::string error = Schema().Check(json::parse(text), definition);
  if (!error.empty()) std::fprintf(stderr, "%s\n%s\n", error.c_str(), text.c_str());
  Check(error.empty());
}

struct Setting {
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
  bool keeps = true;
  absl::Status end{};
};

// One Builder, whose events are checked.
class Turn {
 public:
  Turn(const Setting& setting, bool checks)
      : setting_(setting), checks_(checks), builder_(Options()) {}

  void Add(const ChatEvent& event) { Take(builder_.Add(event)); }
  void Add(const cursorwire::QueryArgs& query) { Take(builder_.AddQuery(query)); }
  ChatResponse Finish() {
    Take(builder_.Finish(setting_.end));
    Check(done_);
    ChatResponse response = rebuilt_.response();
    for (const Document& document : response.documents) CheckToolCall(document);
    Check(response.head == builder_.response().head);
    if (setting_.keeps) Check(response == builder_.response());
    if (checks_) CheckSchema(ToJson(response), "");
    return response;
  }
  bool failed() const { return !builder_.status().ok(); }

 private:
  BuilderOptions Options() const {
    return {.model = "m",
            .mode = setting_.mode,
            .keep_documents = setting_.keeps,
            .max_bytes = kMaxBytes,
            .created = std::chrono::system_clock::time_point(),
            .clock = [] { return std::chrono::steady_clock::time_point(); },
            .ids = std::make_shared<SameIds>()};
  }
  void Take(const std::vector<DocumentEvent>& events) {
    for (const DocumentEvent& event : events) {
      Check(!done_);
      if (checks_) CheckSchema(ToJson(event), "event");
      Check(rebuilt_.Apply(event).ok());
      done_ = std::holds_alternative<Done>(event);
      Note(event);
    }
  }
  void Note(const DocumentEvent& event) {
    if (const auto* arguments = std::get_if<ToolCallArguments>(&event)) {
      Check(arguments_.emplace(arguments->document_id, arguments->arguments_json).second);
    }
    if (const auto* result = std::get_if<ToolResult>(&event)) {
      Check(results_.emplace(result->document_id, result->result).second);
    }
  }
  // What the events on the way said is what the document says at last.
  void CheckToolCall(const Document& document) const {
    const auto* call = std::get_if<ToolCallMetadata>(&document.metadata);
    if (call == nullptr) return;
    const auto arguments = arguments_.find(document.id);
    Check(call->arguments_json == (arguments == arguments_.end() ? "{}" : arguments->second));
    const auto result = results_.find(document.id);
    Check(call->result.has_value() == (result != results_.end()));
    if (call->result) Check(*call->result == result->second);
  }

  const Setting setting_;
  const bool checks_;
  Builder builder_;
  ChatResponseBuilder rebuilt_;
  bool done_ = false;
  // By the id of the document.
  std::map<std::string, std::string> arguments_;
  std::map<std::string, ToolOutcome> results_;
};

std::string TakeText(FuzzedInput& input) { return std::string(input.Take(input.TakeUint16())); }

std::string IdText(uint8_t id) { return id == 0 ? "" : std::to_string(id); }

// Wide and deep.
std::string TakeLargeJson(FuzzedInput& input) {
  const size_t depth = input.TakeByte();
  std::string list = "{\"todos\":[{}";
  for (size_t i = input.TakeUint16() % 512; i > 0; --i) list += ",{}";
  return list + "],\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

ToolCallInfo TakeCall(FuzzedInput& input, uint8_t id) {
  const uint8_t which = input.TakeByte();
  const std::string kind = kKinds[which % std::size(kKinds)];
  ToolCallInfo call{.call_id = IdText(id), .kind = kind};
  if (kind == "mcp") call.name = kNames[(which >> 4) % std::size(kNames)];
  call.arguments_json = TakeText(input);
  call.result_json = TakeText(input);
  return call;
}

ToolCallInfo TakeLargeCall(FuzzedInput& input, uint8_t id) {
  ToolCallInfo call{.call_id = IdText(id), .kind = kKinds[input.TakeByte() % std::size(kKinds)]};
  call.arguments_json = TakeLargeJson(input);
  call.result_json = "{\"success\":" + TakeLargeJson(input) + "}";
  return call;
}

// The next action, into both turns.
void Act(FuzzedInput& input, size_t piece, Turn& whole, Turn& cut) {
  const uint8_t action = input.TakeByte();
  const uint8_t id = action >> 4;
  const auto add = [&whole, &cut](const auto& what) {
    whole.Add(what);
    cut.Add(what);
  };
  switch (action & 7) {
    case 0:
      return add(ChatEvent(cursorwire::ToolCallPartial{TakeCall(input, id), ""}));
    case 1:
      return add(ChatEvent(cursorwire::ToolCallStarted{TakeCall(input, id)}));
    case 2:
      return add(ChatEvent(cursorwire::ToolCallCompleted{TakeCall(input, id)}));
    case 3:
      return add(ChatEvent(cursorwire::ToolCallDelta{IdText(id), "", TakeText(input)}));
    case 4:
      return add(cursorwire::QueryArgs(cursorwire::CreatePlanQuery{
          .name = TakeText(input),
          .plan = TakeText(input),
          .call_id = IdText(id),
          .todo_items = {{.id = IdText(id >> 1), .content = "x", .dependencies = {IdText(id)}}}}));
    case 5:
      return add(cursorwire::QueryArgs(cursorwire::AskQuestionQuery{
          .title = TakeText(input), .questions = {{}}, .call_id = IdText(id)}));
    case 6:
      return add(ChatEvent(cursorwire::ToolCallCompleted{TakeLargeCall(input, id)}));
    default:
      break;
  }
  const std::string text = TakeText(input);
  whole.Add(ChatEvent(cursorwire::TextDelta{text}));
  for (size_t at = 0; at < text.size(); at += piece) {
    cut.Add(ChatEvent(cursorwire::TextDelta{text.substr(at, piece)}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const uint8_t options = input.TakeByte();
  const size_t piece = 1 + input.TakeByte() % 16;
  const absl::Status ends[] = {absl::OkStatus(), absl::CancelledError("stopped"),
                               absl::UnavailableError("lost"), absl::InternalError("")};
  const Setting setting{.mode = static_cast<cursorwire::AgentMode>(options & 3),
                        .keeps = (options & 4) == 0,
                        .end = ends[(options >> 3) & 3]};
  Turn whole(setting, true);
  Turn cut(setting, false);
  while (!input.empty()) Act(input, piece, whole, cut);
  const ChatResponse a = whole.Finish();
  const ChatResponse b = cut.Finish();
  // Where it grew too large depends on the pieces.
  if (!whole.failed() && !cut.failed()) Check(a == b);
  return 0;
}
