#include "agent/history/prompt_message.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire::agent {
namespace {

void AppendMember(std::string_view name, std::string_view text, std::string& json) {
  json += ",\"";
  json += name;
  json += "\":";
  wire::AppendJsonString(text, json);
}

std::string MessageOfParts(std::string_view role, std::string_view parts) {
  std::string json = R"({"role":")";
  json += role;
  json += R"(","content":[)";
  json += parts;
  json += "]}";
  return json;
}

// A file of a session may hold any text in place of the arguments.
std::string ObjectOr(std::string_view json, std::string_view instead) {
  const absl::StatusOr<wire::Json> value = wire::ParseJson(json);
  return std::string(value.ok() && value->is_object() ? json : instead);
}

// Collects what the agent said and called into one message, and the results of the calls into the
// message after it.
class AssistantMessages {
 public:
  explicit AssistantMessages(std::vector<std::string>& messages) : messages_(messages) {}

  void Add(const HistoryText& text) {
    if (!results_.empty()) Flush();
    std::string part = R"({"type":"text")";
    AppendMember("text", text.text, part);
    AddPart(part, parts_);
  }
  void Add(const HistoryToolCall& call, std::string_view call_id) {
    std::string part = R"({"type":"tool-call")";
    AppendMember("toolCallId", call_id, part);
    AppendMember("toolName", call.name, part);
    part += R"(,"args":)";
    part += ObjectOr(call.arguments_json, "{}");
    AddPart(part, parts_);
    part = R"({"type":"tool-result")";
    AppendMember("toolCallId", call_id, part);
    AppendMember("toolName", call.name, part);
    AppendMember("result", call.result, part);
    if (call.is_error) part += R"(,"isError":true)";
    AddPart(part, results_);
  }
  void Flush() {
    if (!parts_.empty()) messages_.push_back(MessageOfParts("assistant", parts_));
    if (!results_.empty()) messages_.push_back(MessageOfParts("tool", results_));
    parts_.clear();
    results_.clear();
  }

 private:
  static void AddPart(std::string_view part, std::string& parts) {
    if (!parts.empty()) parts += ',';
    parts += part;
    parts += '}';
  }

  std::vector<std::string>& messages_;
  std::string parts_;
  std::string results_;
};

std::string TextMessage(std::string_view role, std::string_view text) {
  std::string part = R"({"type":"text")";
  AppendMember("text", text, part);
  part += '}';
  return MessageOfParts(role, part);
}

// An item, and under which id the model is told of it, if it is a call.
struct ToldItem {
  const HistoryItem* item;
  std::string call_id{};
};

// Gives out ids that no other call of the turn has.
class CallIds {
 public:
  explicit CallIds(const std::vector<HistoryItem>& items) {
    for (const HistoryItem& item : items) {
      if (const auto* call = std::get_if<HistoryToolCall>(&item)) taken_.insert(call->call_id);
    }
  }

  // `id` itself the first time.
  std::string OwnFor(std::string_view id) {
    int& count = counts_[id];
    if (++count == 1 || id.empty()) return std::string(id);
    for (;; ++count) {
      std::string own = absl::StrCat(ToAbsl(id), "-", count);
      if (!taken_.contains(own)) return own;
    }
  }

 private:
  absl::flat_hash_set<std::string_view> taken_;
  absl::flat_hash_map<std::string_view, int> counts_;
};

// A model takes an id once. An action may have had several results: the last one counts. Other
// actions of the same call get ids of their own.
std::vector<ToldItem> WithoutRepeated(const std::vector<HistoryItem>& items) {
  using Action = std::tuple<std::string_view, std::string_view, std::string_view>;
  absl::flat_hash_set<Action> actions;
  std::vector<ToldItem> told;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    const auto* call = std::get_if<HistoryToolCall>(&*item);
    const bool is_new =
        call == nullptr || call->call_id.empty() ||
        actions.insert(Action(call->call_id, call->name, call->arguments_json)).second;
    if (is_new) told.push_back({.item = &*item});
  }
  std::reverse(told.begin(), told.end());
  CallIds ids(items);
  for (ToldItem& one : told) {
    const auto* call = std::get_if<HistoryToolCall>(one.item);
    if (call != nullptr) one.call_id = ids.OwnFor(call->call_id);
  }
  return told;
}

std::string EndingMessage(TurnEnding ending) {
  std::string_view what = "This turn failed";
  if (ending == TurnEnding::kCancelled) what = "The user stopped this turn";
  if (ending == TurnEnding::kInterrupted) what = "The connection was lost";
  return UserMessage(absl::StrCat(
      "<turn_ending>\n", ToAbsl(what),
      " before it was complete. What was said and done until then is above. Do not go on with it "
      "unless the user asks for that.\n</turn_ending>"));
}

}  // namespace

std::string SystemMessage(std::string_view text) {
  std::string json = R"({"role":"system","content":)";
  wire::AppendJsonString(text, json);
  json += "}";
  return json;
}

std::string UserMessage(std::string_view text) { return TextMessage("user", text); }
std::string AssistantMessage(std::string_view text) { return TextMessage("assistant", text); }

std::vector<std::string> MessagesOf(const HistoryTurn& turn) {
  std::string query = absl::StrCat("<user_query>\n", turn.prompt);
  if (turn.images > 0) absl::StrAppend(&query, "\n[", turn.images, " image(s) were shown here]");
  query += "\n</user_query>";
  std::vector<std::string> messages = {UserMessage(query)};
  AssistantMessages assistant(messages);
  for (const ToldItem& told : WithoutRepeated(turn.items)) {
    if (const auto* text = std::get_if<HistoryText>(told.item)) {
      assistant.Add(*text);
    } else {
      assistant.Add(std::get<HistoryToolCall>(*told.item), told.call_id);
    }
  }
  assistant.Flush();
  if (turn.ending != TurnEnding::kCompleted) messages.push_back(EndingMessage(turn.ending));
  return messages;
}

std::string FileUri(std::string_view path) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    if (kAllowed.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

}  // namespace cursorwire::agent
