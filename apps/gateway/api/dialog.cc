#include "api/dialog.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::HistoryText;
using cursorwire::HistoryToolCall;
using cursorwire::HistoryTurn;

// How the model calls a tool of a ToolRegistry. Source: cursorwire/history.h.
constexpr std::string_view kToolPrefix = "mcp_cursorwire_";
constexpr std::string_view kImageAlone = "See the image.";
constexpr std::string_view kImageResult = "(an image)";
constexpr std::string_view kNoPrompt = "(The assistant began the conversation.)";
constexpr size_t kMaxNamedCalls = 16;

constexpr std::string_view kTextGap = "\n\n";

void JoinText(std::string& all, std::string_view text) {
  if (text.empty()) return;
  Append(all, all.empty() ? "" : kTextGap, text);
}

absl::Status CheckSize(const std::vector<Message>& messages, const DialogForm& form) {
  size_t parts = messages.size();
  size_t values = 0;
  for (const Message& message : messages) {
    parts += message.calls.size() + message.images.size();
    for (const FunctionCall& call : message.calls) {
      values += CountValuesOf(call.arguments);
      if (values <= kMaxJsonValues) continue;
      return BadRequest(Concat("the arguments of all calls have more than ", kMaxJsonValues,
                               " values: shorten the conversation, or begin a new one"),
                        form.list);
    }
  }
  if (parts <= kMaxDialogParts) return absl::OkStatus();
  return BadRequest(Concat("the conversation has more than ", kMaxDialogParts,
                           " messages, calls and images: shorten it, or begin a new one"),
                    form.list);
}

// Each result answers a call of the turn that it stands in.
absl::Status CheckResults(std::vector<Message>& messages, const DialogForm& form) {
  std::set<std::string, std::less<>> calls;
  bool is_new_turn = true;
  for (size_t i = 0; i < messages.size(); ++i) {
    Message& message = messages[i];
    if (message.role == Role::kUser) is_new_turn = true;
    if (message.role == Role::kAssistant) {
      if (std::exchange(is_new_turn, false)) calls.clear();
      for (const FunctionCall& call : message.calls) calls.insert(call.id);
    }
    if (message.role != Role::kTool || calls.contains(message.call_id)) continue;
    if (!form.tells_orphans) {
      return BadRequest("a message with role 'tool' must answer a call of the message before it",
                        Concat(form.list, ".[", i, "].tool_call_id"));
    }
    message.role = Role::kUser;
    message.text = Concat("Result of the earlier call ", message.call_id, ":\n", message.text);
    message.call_id.clear();
  }
  return absl::OkStatus();
}

// What follows the first `size` bytes.
std::string_view RulesBehind(std::string_view rules, size_t size) {
  rules.remove_prefix(std::min(size, rules.size()));
  if (size > 0 && rules.starts_with(kTextGap)) rules.remove_prefix(kTextGap.size());
  return rules;
}

enum class RuleOwner { kConversation, kRequest };

void PlaceRule(Dialog& dialog, std::string_view text, RuleOwner owner) {
  if (text.empty()) return;
  JoinText(dialog.rules, text);
  if (owner == RuleOwner::kRequest) {
    dialog.own_rules = dialog.rules.size();
  } else {
    dialog.placed_rules.push_back({.before = dialog.history.size() + dialog.tail.size(),
                                   .begin = dialog.rules.size() - text.size(),
                                   .size = text.size()});
  }
}

// OpenAI's SDK for agents tells a text and the calls after it in two messages of the assistant.
void AddToHistory(std::vector<Message>& history, Message message) {
  if (message.calls.empty() || !message.text.empty() || history.empty() ||
      history.back().role != Role::kAssistant) {
    history.push_back(std::move(message));
    return;
  }
  std::move(message.calls.begin(), message.calls.end(), std::back_inserter(history.back().calls));
}

// Calls of the last turn of `history` that have no result there.
std::vector<std::string> OpenCalls(const std::vector<Message>& history) {
  std::vector<std::string> calls;
  std::set<std::string, std::less<>> answered;
  for (auto message = history.rbegin(); message != history.rend(); ++message) {
    if (message->role == Role::kUser) break;
    if (message->role == Role::kTool) answered.insert(message->call_id);
    for (auto call = message->calls.rbegin(); call != message->calls.rend(); ++call) {
      // Each result answers one call: the same id may come again.
      if (answered.erase(call->id) == 0) calls.push_back(call->id);
    }
  }
  std::reverse(calls.begin(), calls.end());
  return calls;
}

absl::StatusOr<TailKind> KindOf(const Dialog& dialog, const DialogForm& form) {
  bool user = false;
  std::set<std::string, std::less<>> answered;
  for (const Message& message : dialog.tail) {
    user = user || message.role == Role::kUser;
    if (message.role == Role::kTool) answered.insert(message.call_id);
  }
  if (user) return dialog.open_calls.empty() ? TailKind::kPrompt : TailKind::kInterrupted;
  std::string missing;
  size_t count = 0;
  for (const std::string& id : dialog.open_calls) {
    if (answered.contains(id) || count++ >= kMaxNamedCalls) continue;
    Append(missing, missing.empty() ? "" : ", ", id);
  }
  if (!dialog.open_calls.empty() && missing.empty()) return TailKind::kResults;
  if (!missing.empty()) {
    return BadRequest(Concat("these calls have no result: ", missing), form.list);
  }
  if (dialog.history.empty()) {
    return BadRequest(Concat("'", form.list, "' must have a message of the user"), form.list);
  }
  return BadRequest("the last message must not be the assistant's", form.list);
}

// Builds turns from messages.
class TurnBuilder {
 public:
  void Add(const Message& message) {
    switch (message.role) {
      case Role::kSystem:
        break;
      case Role::kUser:
        AddUser(message);
        break;
      case Role::kAssistant:
        AddAssistant(message);
        break;
      case Role::kTool:
        AddResult(message);
        break;
    }
  }

  std::vector<HistoryTurn> Take() {
    for (HistoryTurn& turn : turns_) {
      if (turn.prompt.empty()) turn.prompt = turn.images > 0 ? kImageAlone : kNoPrompt;
    }
    return std::move(turns_);
  }

 private:
  void AddUser(const Message& message) {
    if (turns_.empty() || !turns_.back().items.empty()) turns_.emplace_back();
    is_new_turn_ = true;
    JoinText(turns_.back().prompt, message.text);
    turns_.back().images += message.images.size();
  }

  void AddAssistant(const Message& message) {
    if (turns_.empty()) turns_.emplace_back();
    HistoryTurn& turn = turns_.back();
    if (!message.text.empty() || message.calls.empty()) {
      turn.items.emplace_back(HistoryText{message.text});
    }
    if (std::exchange(is_new_turn_, false)) open_.clear();
    for (const FunctionCall& call : message.calls) {
      open_[call.id] = {turns_.size() - 1, turn.items.size()};
      turn.items.emplace_back(HistoryToolCall{.call_id = call.id,
                                              .name = Concat(kToolPrefix, call.name),
                                              .arguments_json = call.arguments,
                                              .result = kNoResult,
                                              .is_error = true});
    }
  }

  void AddResult(const Message& message) {
    const auto it = open_.find(message.call_id);
    if (it == open_.end()) return;
    const auto [turn, item] = it->second;
    auto& call = std::get<HistoryToolCall>(turns_[turn].items[item]);
    call.result = message.text;
    if (message.text.empty() && !message.images.empty()) call.result = kImageResult;
    call.is_error = message.is_error;
    open_.erase(it);  // the first answer counts
  }

  std::vector<HistoryTurn> turns_;
  bool is_new_turn_ = false;
  // Where each call of the turn is that has no result.
  std::map<std::string, std::pair<size_t, size_t>> open_;
};

}  // namespace

absl::StatusOr<Dialog> SplitDialog(std::vector<Message> messages, const DialogForm& form) {
  absl::Status status = CheckSize(messages, form);
  if (status.ok()) status = CheckResults(messages, form);
  if (!status.ok()) return status;
  Dialog dialog;
  size_t behind_assistant = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::kAssistant) behind_assistant = i + 1;
  }
  size_t former = 0;  // bytes of rules
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::kSystem) {
      PlaceRule(dialog, messages[i].text,
                i < form.own_rules ? RuleOwner::kRequest : RuleOwner::kConversation);
      if (i < behind_assistant) former = dialog.rules.size();
    } else if (i < behind_assistant) {
      AddToHistory(dialog.history, std::move(messages[i]));
    } else {
      dialog.tail.push_back(std::move(messages[i]));
    }
  }
  dialog.former_rules = dialog.rules.substr(0, former);
  dialog.open_calls = OpenCalls(dialog.history);
  absl::StatusOr<TailKind> kind = KindOf(dialog, form);
  if (!kind.ok()) return kind.status();
  dialog.kind = *kind;
  return dialog;
}

std::vector<Message> MessagesOf(const Dialog& dialog) {
  std::vector<Message> messages;
  size_t count = 0;  // without rules
  auto rule = dialog.placed_rules.begin();
  const auto add_rules = [&] {
    for (; rule != dialog.placed_rules.end() && rule->before <= count; ++rule) {
      messages.push_back(
          {.role = Role::kSystem, .text = dialog.rules.substr(rule->begin, rule->size)});
    }
  };
  for (const std::vector<Message>* part : {&dialog.history, &dialog.tail}) {
    for (const Message& message : *part) {
      add_rules();
      messages.push_back(message);
      ++count;
    }
  }
  add_rules();
  return messages;
}

std::string_view FormerRulesOf(const Dialog& dialog) {
  return RulesBehind(dialog.former_rules, dialog.own_rules);
}

std::string_view NewRulesOf(const Dialog& dialog) {
  return RulesBehind(dialog.rules, std::max(dialog.former_rules.size(), dialog.own_rules));
}

std::string PromptOf(const Dialog& dialog) {
  std::string prompt;
  bool images = false;
  for (const Message& message : dialog.tail) {
    if (message.role != Role::kUser) continue;
    JoinText(prompt, message.text);
    images = images || !message.images.empty();
  }
  if (prompt.empty()) return images ? std::string(kImageAlone) : " ";
  return prompt;
}

std::vector<std::string> ImagesOf(const Dialog& dialog) {
  std::vector<std::string> images;
  for (const Message& message : dialog.tail) {
    images.insert(images.end(), message.images.begin(), message.images.end());
  }
  return images;
}

std::vector<HistoryTurn> HistoryOf(const Dialog& dialog, HistoryEnd end) {
  TurnBuilder builder;
  for (const Message& message : dialog.history) builder.Add(message);
  if (end == HistoryEnd::kWithResults) {
    for (const Message& message : dialog.tail) {
      if (message.role == Role::kTool) builder.Add(message);
    }
  }
  return builder.Take();
}

}  // namespace cursor_gateway
