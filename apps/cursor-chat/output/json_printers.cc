#include "output/json_printers.h"

#include <cursorwire/tools.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "common/json_line.h"
#include "common/usage_json.h"
#include "output/notices.h"
#include "output/redacted_json.h"

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;
using cursorwire::ToolCallInfo;
using nlohmann::json;

void AddNumber(json& object, const char* name, const std::optional<int64_t>& value) {
  if (value) object[name] = *value;
}

// Readers of deeper JSON could overflow their stacks.
constexpr size_t kMaxPrintedDepth = 128;

// How many members the objects of a JSON text have, and those of a value.
size_t MembersIn(std::string_view text) {
  size_t members = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    if (text[i] == '\\') ++i;  // only within a string
    if (!in_string && i < text.size() && text[i] == ':') ++members;
  }
  return members;
}
size_t MembersOf(const json& value) {
  size_t members = value.is_object() ? value.size() : 0;
  if (!value.is_structured()) return members;
  for (const json& child : value) members += MembersOf(child);
  return members;
}

// Parses a text as JSON. A text that is not JSON becomes a string, and so does one of which an
// object would lose a member, since another has its name.
json ValueOf(const std::string& text) {
  if (text.empty()) return json::object();
  if (cursorwire::SchemaDepth(text) > kMaxPrintedDepth) return text;
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded() || MembersOf(value) != MembersIn(text)) return text;
  return value;
}

json WhichTool(const ToolCallInfo& call) {
  return {{"call_id", call.call_id}, {"kind", call.kind}, {"name", call.name}};
}

json ErrorOf(const absl::Status& status) {
  return {{"code", CodeOf(status)}, {"message", MessageOf(status)}};
}

const char* KindOf(cursorwire::RetryKind kind) {
  switch (kind) {
    case cursorwire::RetryKind::kRepeat:
      return "repeat";
    case cursorwire::RetryKind::kResume:
      return "resume";
    case cursorwire::RetryKind::kContinue:
      return "continue";
  }
  return "";
}

// The service's text is UTF-8 already; `replace` guarantees one valid line in any case.
std::string Line(const json& object) { return cursor_apps::JsonLine(object) + "\n"; }

class StreamJsonPrinter final : public Printer {
 public:
  StreamJsonPrinter(Output& output, ConversationId conversation_id)
      : output_(output), conversation_id_(std::move(conversation_id)) {}

  void OnEvent(const ChatEvent& event) override {
    std::visit([this](const auto& what) { Print(what); }, event.what());
  }
  void OnEnd(const absl::Status& status) override {
    if (!status.ok()) PrintLine("error", ErrorOf(status));
  }

 private:
  void PrintLine(const char* type, json object) {
    RedactStrings(output_.redactor(), object);
    object["type"] = type;
    output_.Write(Line(object));
  }
  // The model's text is not altered.
  void PrintText(const char* type, const std::string& text) {
    output_.Write(Line({{"text", text}, {"type", type}}));
  }
  void Print(const cursorwire::TextDelta& delta) { PrintText("text_delta", delta.text); }
  void Print(const cursorwire::ThinkingDelta& delta) { PrintText("thinking_delta", delta.text); }
  void Print(const cursorwire::ToolCallStarted& started) {
    json object = WhichTool(started.call);
    object["arguments"] = ValueOf(started.call.arguments_json);
    PrintLine("tool_call_started", std::move(object));
  }
  void Print(const cursorwire::ToolCallCompleted& completed) {
    json object = WhichTool(completed.call);
    object["result"] = ValueOf(completed.call.result_json);
    PrintLine("tool_call_completed", std::move(object));
  }
  void Print(const cursorwire::TokenUsage& usage) {
    PrintLine("token_usage", {{"tokens", usage.tokens}});
  }
  void Print(const cursorwire::Checkpoint& checkpoint) {
    json object = {{"bytes", checkpoint.state.size()}};
    AddNumber(object, "used_tokens", checkpoint.used_tokens);
    AddNumber(object, "max_tokens", checkpoint.max_tokens);
    PrintLine("checkpoint", std::move(object));
  }
  void Print(const cursorwire::Retrying& retrying) {
    json object = ErrorOf(retrying.reason);
    object["retry"] = retrying.retry;
    object["max_retries"] = retrying.max_retries;
    object["kind"] = KindOf(retrying.kind);
    object["delay_ms"] = retrying.delay.count();
    PrintLine("retry", std::move(object));
  }
  void Print(const cursorwire::DriftFound& drift) { PrintLine("drift", {{"path", drift.path}}); }
  void Print(const cursorwire::TurnEnded& ended) {
    PrintLine("turn_ended", {{"conversation_id", conversation_id_()},
                             {"usage", cursor_apps::UsageJson(ended.usage)}});
  }
  // Events of other kinds are not printed.
  template <typename Other>
  void Print(const Other&) {}

  Output& output_;
  const ConversationId conversation_id_;
};

class JsonPrinter final : public Printer {
 public:
  JsonPrinter(Output& output, ConversationId conversation_id)
      : output_(output), conversation_id_(std::move(conversation_id)) {}

  void OnEvent(const ChatEvent& event) override {
    // Neither comes from the service.
    const bool is_ours = event.As<cursorwire::Retrying>() != nullptr ||
                         event.As<cursorwire::StateRebuilt>() != nullptr;
    answered_ = answered_ || !is_ours;
    if (const auto* text = event.As<cursorwire::TextDelta>()) {
      text_ += text->text;
    } else if (const auto* thinking = event.As<cursorwire::ThinkingDelta>()) {
      thinking_ += thinking->text;
    } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
      FindToolCall(started->call)["arguments"] = ValueOf(started->call.arguments_json);
    } else if (const auto* completed = event.As<cursorwire::ToolCallCompleted>()) {
      FindToolCall(completed->call)["result"] = ValueOf(completed->call.result_json);
    } else if (const auto* drift = event.As<cursorwire::DriftFound>()) {
      drift_.push_back(drift->path);
    } else if (const auto* ended = event.As<cursorwire::TurnEnded>()) {
      usage_ = cursor_apps::UsageJson(ended->usage);
    }
  }
  void OnEnd(const absl::Status& status) override {
    json object = {{"usage", usage_}};
    if (answered_) object["conversation_id"] = conversation_id_();
    if (!tool_calls_.empty()) object["tool_calls"] = tool_calls_;
    if (!drift_.empty()) object["drift"] = drift_;
    if (!status.ok()) object["error"] = ErrorOf(status);
    RedactStrings(output_.redactor(), object);
    object["text"] = text_;  // of the model, and not altered
    object["thinking"] = thinking_;
    output_.Write(Line(object));
  }

 private:
  // Keeps tool calls in the order in which they began.
  json& FindToolCall(const ToolCallInfo& call) {
    const auto [it, is_new] = places_.try_emplace(call.call_id, tool_calls_.size());
    if (is_new) tool_calls_.push_back(WhichTool(call));
    return tool_calls_[it->second];
  }

  Output& output_;
  const ConversationId conversation_id_;
  bool answered_ = false;  // the service knows the conversation
  std::string text_;
  std::string thinking_;
  json tool_calls_ = json::array();
  std::unordered_map<std::string, size_t> places_;  // in tool_calls_, by call_id
  json drift_ = json::array();
  json usage_;
};

}  // namespace

std::unique_ptr<Printer> CreateJsonPrinter(Output& output, ConversationId conversation_id) {
  return std::make_unique<JsonPrinter>(output, std::move(conversation_id));
}

std::unique_ptr<Printer> CreateStreamJsonPrinter(Output& output, ConversationId conversation_id) {
  return std::make_unique<StreamJsonPrinter>(output, std::move(conversation_id));
}

void PrintErrorObject(Format format, Output& output, const absl::Status& error, PrintedTurn turn) {
  if (format == Format::kText) return;
  if (IsDocuments(format)) {
    return Printer::Create(format, output, std::move(turn))->OnEnd(error);
  }
  json object = ErrorOf(error);
  if (format == Format::kJson) {
    object = {{"error", std::move(object)}};
  } else {
    object["type"] = "error";
  }
  RedactStrings(output.redactor(), object);
  output.Write(Line(object));
}

}  // namespace cursor_chat
