#include "anthropic/message_list.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr size_t kMaxWordBytes = 64;
// Claude Code's first block of `system`: other in every session, so that no conversation would be
// found again.
constexpr std::string_view kBillingBlock = "x-anthropic-billing-header:";

void AddText(Message& message, std::string_view text) {
  if (text.empty()) return;
  Append(message.text, message.text.empty() ? "" : "\n\n", text);
}

// History stays forever: what cannot be shown must not make each later request fail.
void LeaveOut(Message& message, std::string_view what) {
  AddText(message, Concat("[", what, " was left out here: it cannot be shown to the model.]"));
}

std::string_view TypeOf(const json& block) { return TextOf(block, "type"); }

std::string At(const std::string& where, size_t index) { return Concat(where, ".", index); }

bool IsAssistant(const json& entry) { return TextOf(entry, "role") == "assistant"; }

class ListReader {
 public:
  absl::StatusOr<MessageList> Read(const json* system, const json& messages) {
    if (!messages.is_array()) return WrongField("messages", "a list");
    if (messages.empty()) return WrongField("messages", "a list that is not empty");
    if (messages.size() > kMaxMessages) return WrongField("messages", "a list of 20000 at most");
    absl::Status status = system == nullptr ? absl::OkStatus() : ReadRules(*system, "system");
    size_t tail = 0;
    for (size_t i = 0; i < messages.size(); ++i) {
      if (IsAssistant(messages[i])) tail = i + 1;
    }
    for (size_t i = 0; i < messages.size() && status.ok(); ++i) {
      is_tail_ = i >= tail;
      status = ReadMessage(messages[i], At("messages", i));
    }
    if (!status.ok()) return status;
    EndUserTurn();
    return std::move(list_);
  }

 private:
  absl::Status ReadRules(const json& content, const std::string& where) {
    const auto add = [this](std::string_view text) {
      if (text.starts_with(kBillingBlock)) return;
      list_.messages.push_back({.role = Role::kSystem, .text = std::string(text)});
    };
    if (content.is_string()) {
      add(content.get_ref<const std::string&>());
      return absl::OkStatus();
    }
    if (!content.is_array()) return WrongField(where, "a string or a list of text blocks");
    for (size_t i = 0; i < content.size(); ++i) {
      const json* text = FieldOf(content[i], "text");
      if (TypeOf(content[i]) != "text" || text == nullptr || !text->is_string()) {
        return WrongField(At(where, i), "a text block");
      }
      add(text->get_ref<const std::string&>());
    }
    return absl::OkStatus();
  }

  absl::Status ReadMessage(const json& entry, const std::string& where) {
    if (!entry.is_object()) return WrongField(where, "an object");
    const json* content = FieldOf(entry, "content");
    if (content == nullptr || !(content->is_string() || content->is_array())) {
      return WrongField(where + ".content", "a string or a list of blocks");
    }
    const std::string_view role = TextOf(entry, "role");
    if (role == "user") return ReadUser(*content, where + ".content");
    if (role == "assistant") return ReadAssistant(*content, where + ".content");
    if (role == "system" || role == "developer") return ReadRules(*content, where + ".content");
    // Claude Code knows these words, and does without a role that is refused by them.
    return BadRequest(Concat(where, ": role ", role.substr(0, kMaxWordBytes), " is not supported"),
                      where + ".role");
  }

  absl::Status ReadAssistant(const json& content, const std::string& where) {
    EndUserTurn();
    // Neighbours are one message, as the API has it: results may answer calls of each of them.
    const bool joins = !list_.messages.empty() && list_.messages.back().role == Role::kAssistant;
    if (!joins) {
      list_.messages.push_back({.role = Role::kAssistant});
      calls_.clear();
      open_.clear();
    }
    behind_assistant_ = list_.messages.size();
    Message& message = list_.messages.back();
    if (content.is_string()) {
      message.text += content.get_ref<const std::string&>();
      return absl::OkStatus();
    }
    // Texts are one, as they were when the answer was made: clients move them in front of calls,
    // and drop empty ones. Thinking, whoever signed it, and blocks of tools that a server ran are
    // nothing that the service could use.
    for (size_t i = 0; i < content.size(); ++i) {
      const std::string_view type = TypeOf(content[i]);
      if (type == "text") message.text += TextOf(content[i], "text");
      if (type != "tool_use") continue;
      if (absl::Status status = ReadCall(content[i], At(where, i), message); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadCall(const json& block, const std::string& where, Message& assistant) {
    const std::string_view id = TextOf(block, "id");
    const std::string_view name = TextOf(block, "name");
    if (id.empty()) return WrongField(where + ".id", "the id of a call");
    if (name.empty()) return WrongField(where + ".name", "the name of a tool");
    const json* input = FieldOf(block, "input");
    if (input != nullptr && !input->is_object()) {
      return WrongField(where + ".input", "an object");
    }
    calls_.emplace(id);
    open_.emplace(id);
    assistant.calls.push_back({.id = std::string(id),
                               .name = std::string(name),
                               .arguments = input == nullptr ? "{}" : CompactJson(*input)});
    return absl::OkStatus();
  }

  absl::Status ReadUser(const json& content, const std::string& where) {
    Message said{.role = Role::kUser};
    if (content.is_string()) {
      said.text = content.get<std::string>();
      list_.messages.push_back(std::move(said));
      return absl::OkStatus();
    }
    bool has_results = false;
    for (size_t i = 0; i < content.size(); ++i) {
      const bool is_result = TypeOf(content[i]) == "tool_result";
      has_results = has_results || is_result;
      absl::Status status = is_result ? ReadResult(content[i], At(where, i))
                                      : ReadBlock(content[i], At(where, i), said);
      if (!status.ok()) return status;
    }
    if (has_results && said.text.empty() && said.images.empty()) return absl::OkStatus();
    list_.messages.push_back(std::move(said));
    return absl::OkStatus();
  }

  absl::Status ReadResult(const json& block, const std::string& where) {
    const std::string_view id = TextOf(block, "tool_use_id");
    if (!calls_.contains(id)) {
      return WrongField(where + ".tool_use_id",
                        "the id of a `tool_use` block in the message before");
    }
    open_.erase(std::string(id));
    Message result{.role = Role::kTool, .call_id = std::string(id)};
    const json* is_error = FieldOf(block, "is_error");
    result.is_error = is_error != nullptr && *is_error == true;
    if (const json* content = FieldOf(block, "content"); content != nullptr) {
      absl::Status status = ReadShown(*content, where + ".content", result);
      if (!status.ok()) return status;
    }
    list_.messages.push_back(std::move(result));
    return absl::OkStatus();
  }

  absl::Status ReadShown(const json& content, const std::string& where, Message& message) {
    if (content.is_string()) {
      AddText(message, content.get_ref<const std::string&>());
      return absl::OkStatus();
    }
    if (!content.is_array()) return WrongField(where, "a string or a list of blocks");
    for (size_t i = 0; i < content.size(); ++i) {
      absl::Status status = ReadBlock(content[i], At(where, i), message);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadBlock(const json& block, const std::string& where, Message& message) {
    const std::string_view type = TypeOf(block);
    if (type.empty()) return WrongField(where + ".type", "the type of a block");
    if (type == "text") {
      const json* text = FieldOf(block, "text");
      if (text == nullptr || !text->is_string()) return WrongField(where + ".text", "a string");
      AddText(message, text->get_ref<const std::string&>());
      return absl::OkStatus();
    }
    if (type == "image") return ReadImage(block, where, message);
    if (type == "document") return ReadDocument(block, where, message);
    if (type == "tool_reference") {
      const std::string_view name = TextOf(block, "tool_name");
      AddText(message, Concat("loaded: ", name));
      if (is_tail_) list_.loaded_tools.emplace(name);
      return absl::OkStatus();
    }
    if (type == "search_result") {
      AddText(message, TextOf(block, "title"));
      AddText(message, TextOf(block, "source"));
      const json* content = FieldOf(block, "content");
      return content == nullptr ? absl::OkStatus()
                                : ReadShown(*content, where + ".content", message);
    }
    LeaveOut(message, Concat("A block of type ", type.substr(0, kMaxWordBytes)));
    return absl::OkStatus();
  }

  // Files and addresses of the web are never fetched: a client could make the gateway ask others in
  // its name.
  absl::Status ReadImage(const json& block, const std::string& where, Message& message) {
    const json* source = FieldOf(block, "source");
    const bool is_url = source != nullptr && TypeOf(*source) == "url";
    const std::string_view data = source == nullptr ? "" : TextOf(*source, is_url ? "url" : "data");
    const std::string place = where + ".source";
    absl::Status status = is_url ? content_.AddImageUrl(data, place, message)
                                 : content_.AddImage(data, place, message);
    if (status.ok() || is_tail_) return status;
    LeaveOut(message, "An image");
    return absl::OkStatus();
  }

  absl::Status ReadDocument(const json& block, const std::string& where, Message& message) {
    const json* source = FieldOf(block, "source");
    const std::string_view type = source == nullptr ? "" : TypeOf(*source);
    AddText(message, TextOf(block, "title"));
    AddText(message, TextOf(block, "context"));
    if (type == "text") {
      AddText(message, TextOf(*source, "data"));
    } else if (type == "content" && source->contains("content")) {
      return ReadShown((*source)["content"], where + ".source.content", message);
    } else {
      // The service has no field for it.
      LeaveOut(message, type == "base64" ? "A PDF document" : "A document");
    }
    return absl::OkStatus();
  }

  // Claude Code has reminders and documents there in every round. As a message of its own it would
  // be an interruption of the turn that waits for the results.
  void EndUserTurn() {
    if (calls_.empty() || !open_.empty()) return;
    const auto begin = list_.messages.begin() + static_cast<std::ptrdiff_t>(behind_assistant_);
    const auto last =
        std::find_if(list_.messages.rbegin(), list_.messages.rend(),
                     [](const Message& message) { return message.role == Role::kTool; });
    for (auto it = begin; it != list_.messages.end(); ++it) {
      if (it->role != Role::kUser) continue;
      AddText(*last, it->text);
      last->images.insert(last->images.end(), it->images.begin(), it->images.end());
    }
    list_.messages.erase(std::remove_if(begin, list_.messages.end(),
                                        [](const Message& m) { return m.role == Role::kUser; }),
                         list_.messages.end());
    calls_.clear();
  }

  MessageList list_;
  size_t behind_assistant_ = 0;               // of the messages: after the last of the assistant's
  std::set<std::string, std::less<>> calls_;  // the ids of its calls
  std::set<std::string, std::less<>> open_;   // those without a result
  ContentReader content_;                     // adds up the images
  bool is_tail_ = false;                      // after the last message of the assistant's
};

}  // namespace

absl::StatusOr<MessageList> ReadMessageList(const json* system, const json& messages) {
  return ListReader().Read(system, messages);
}

}  // namespace cursor_gateway
