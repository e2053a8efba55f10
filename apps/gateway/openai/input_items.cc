#include "openai/input_items.h"

#include <absl/strings/escaping.h>
#include <absl/strings/string_view.h>

#include <map>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr std::string_view kSummaryMark = "cursorwire summary 1\n";
constexpr std::string_view kSummaryHead =
    "The conversation so far, as a summary of what was said and done:\n\n";
constexpr char kLostContext[] =
    "An older part of this conversation was shortened by another provider in a form that only that "
    "one can read. Ask the user for what is missing.";

bool IsCompaction(std::string_view type) {
  return type == "compaction" || type == "compaction_summary" || type == "context_compaction";
}

// What says nothing to the model, or is read beforehand.
bool IsSilent(std::string_view type) {
  return type == "reasoning" || type == "additional_tools" || type == "compaction_trigger";
}

std::string WithoutMark(std::string_view content) {
  std::string text;
  const bool is_ours = absl::Base64Unescape({content.data(), content.size()}, &text) &&
                       text.starts_with(kSummaryMark);
  return is_ours ? text.substr(kSummaryMark.size()) : "";
}

}  // namespace

std::string CompactionContent(std::string_view summary) {
  const std::string text = Concat(kSummaryMark, summary);
  return absl::Base64Escape(text);
}

absl::Status InputItems::Read(const json& input, std::vector<Message>& messages) {
  messages_ = &messages;
  if (input.size() > kMaxMessages) return WrongField("input", "a list of 20000 items at most");
  if (absl::Status status = FindReferences(input); !status.ok()) return status;
  for (const json* item : items_) LookAt(*item);
  for (size_t i = 0; i < items_.size(); ++i) {
    absl::Status status = ReadItem(*items_[i], Concat("input.[", i, "]"));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The AI SDK names what it got before in place of sending it again. Counts before anything is
// copied: a short request may name a long item many times.
absl::Status InputItems::FindReferences(const json& input) {
  std::map<const json*, size_t> sizes;
  size_t bytes = 0;
  for (size_t i = 0; i < input.size(); ++i) {
    const json* item = &input[i];
    if (TextOf(*item, "type") == "item_reference") {
      const std::string where = Concat("input.[", i, "].");
      std::string id;
      if (absl::Status status = RequireString(*item, "id", id, where); !status.ok()) return status;
      item = find_item_ ? find_item_(id) : nullptr;
      if (item == nullptr) {
        return BadRequest(Concat("'", where, "id' names an unknown item"), where + "id");
      }
      const auto [size, is_new] = sizes.emplace(item, 0);
      if (is_new) size->second = CompactJson(*item).size();
      bytes += size->second;
      if (bytes > kMaxReferencedBytes) {
        return ToStatus({.status = 413,
                         .type = "invalid_request_error",
                         .param = "input",
                         .message = "the items that 'input' names are over 48 MiB"});
      }
    }
    items_.push_back(item);
  }
  return absl::OkStatus();
}

// What must be known before any call is read.
void InputItems::LookAt(const json& item) {
  const std::string_view type = TextOf(item, "type");
  if (type.ends_with("_output")) answered_.emplace(TextOf(item, "call_id"));
  const bool has_tools = type == "additional_tools" || type == "tool_search_output";
  const json* tools = has_tools ? FieldOf(item, "tools") : nullptr;
  if (tools != nullptr) tools_.AddFound(*tools);
}

absl::Status InputItems::ReadItem(const json& item, const std::string& where) {
  if (!item.is_object()) return WrongField(where, "an object");
  std::string type = "message";
  if (absl::Status status = ReadString(item, "type", type, where + "."); !status.ok()) {
    return status;
  }
  asks_for_compaction_ = type == "compaction_trigger";
  if (type == "message") return ReadMessage(item, where);
  if (IsSilent(type)) return absl::OkStatus();
  if (IsCompaction(type)) {
    ReadCompaction(item);
    return absl::OkStatus();
  }
  if (type.ends_with("_output")) return ReadOutput(item, type, where);
  return ReadCall(item, type, where);
}

absl::Status InputItems::ReadMessage(const json& item, const std::string& where) {
  std::string role;
  absl::Status status = RequireString(item, "role", role, where + ".");
  if (!status.ok()) return status;
  const json* content = FieldOf(item, "content");
  if (content == nullptr) return WrongField(where + ".content", "a string or a list of parts");
  if (role == "assistant") return content_.Read(*content, where + ".content", AssistantMessage());
  if (role != "user" && role != "system" && role != "developer") {
    return WrongField(where + ".role", "system, developer, user or assistant");
  }
  messages_->push_back({.role = role == "user" ? Role::kUser : Role::kSystem});
  return content_.Read(*content, where + ".content", messages_->back());
}

// One answer may come in several items.
Message& InputItems::AssistantMessage() {
  if (messages_->empty() || messages_->back().role != Role::kAssistant) {
    messages_->push_back({.role = Role::kAssistant});
  }
  return messages_->back();
}

absl::Status InputItems::ReadCall(const json& item, std::string_view type,
                                  const std::string& where) {
  FunctionCall call{.id = std::string(TextOf(item, "call_id"))};
  const std::string members = where + ".";
  absl::Status status;
  if (type == "function_call" || type == "custom_tool_call") {
    const bool is_function = type == "function_call";
    std::string name;
    std::string given = is_function ? "{}" : "";
    status = RequireString(item, "call_id", call.id, members);
    if (status.ok()) status = RequireString(item, "name", name, members);
    if (status.ok()) {
      status = ReadString(item, is_function ? "arguments" : "input", given, members);
    }
    if (!status.ok()) return status;
    call.name = tools_.NameOf(TextOf(item, "namespace"), name);
    call.arguments = is_function ? std::move(given) : FreeTextArguments(given);
  } else {
    // Those of other providers are told where a result shows that they were made here.
    if (call.id.empty() || !answered_.contains(call.id)) return absl::OkStatus();
    const bool is_search = type == "tool_search_call";
    call.name = is_search ? "tool_search" : std::string(type);
    const json* given = FieldOf(item, is_search ? "arguments" : "action");
    call.arguments = given == nullptr ? "{}" : CompactJson(*given);
  }
  AssistantMessage().calls.push_back(std::move(call));
  return absl::OkStatus();
}

absl::Status InputItems::ReadOutput(const json& item, std::string_view type,
                                    const std::string& where) {
  Message result{.role = Role::kTool, .call_id = std::string(TextOf(item, "call_id"))};
  if (type == "tool_search_output") {
    const json* tools = FieldOf(item, "tools");
    const std::string names = tools == nullptr ? "" : FoundTools(*tools, "");
    result.text =
        names.empty() ? "No tool was found." : Concat("These tools can be called now: ", names);
  } else {
    absl::Status status = RequireString(item, "call_id", result.call_id, where + ".");
    const json* output = FieldOf(item, "output");
    if (!status.ok()) return status;
    if (output == nullptr) return WrongField(where + ".output", "a string or a list of parts");
    status = content_.Read(*output, where + ".output", result);
    if (!status.ok()) return status;
  }
  if (!result.call_id.empty()) messages_->push_back(std::move(result));
  return absl::OkStatus();
}

// The names that the model knows them by.
std::string InputItems::FoundTools(const json& list, std::string_view space) {
  std::string names;
  for (const json& tool : list) {
    if (++told_entries_ > kMaxToolEntries) break;
    const std::string_view name = TextOf(tool, "name");
    const json* members = FieldOf(tool, "tools");
    const std::string found = members != nullptr && space.empty() ? FoundTools(*members, name)
                                                                  : tools_.NameOf(space, name);
    if (tools_.Find(found) == nullptr && members == nullptr) continue;
    Append(names, names.empty() || found.empty() ? "" : ", ", found);
  }
  return names;
}

void InputItems::ReadCompaction(const json& item) {
  const std::string summary = WithoutMark(TextOf(item, "encrypted_content"));
  if (!summary.empty()) {
    messages_->push_back({.role = Role::kUser, .text = Concat(kSummaryHead, summary)});
  } else {
    messages_->push_back({.role = Role::kSystem, .text = kLostContext});
  }
}

}  // namespace cursor_gateway
