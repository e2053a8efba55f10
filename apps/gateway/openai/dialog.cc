#include "openai/dialog.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "openai/api_error.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

using cursorwire::HistoryText;
using cursorwire::HistoryToolCall;
using cursorwire::HistoryTurn;

// How the model calls a tool of a ToolRegistry. Source: cursorwire/history.h.
constexpr std::string_view kToolPrefix = "mcp_cursorwire_";
constexpr std::string_view kImageAlone = "See the image.";
constexpr std::string_view kNoPrompt = "(The assistant began the conversation.)";
constexpr size_t kMaxNamedCalls = 16;

void JoinText(std::string& all, std::string_view text) {
  if (text.empty()) return;
  Append(all, all.empty() ? "" : "\n\n", text);
}

// Each result answers a call of the assistant's message before.
absl::Status CheckResults(const std::vector<Message>& messages) {
  const Message* assistant = nullptr;
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    if (message.role == Role::kAssistant) assistant = &message;
    if (message.role != Role::kTool) continue;
    const bool known =
        assistant != nullptr &&
        std::any_of(assistant->calls.begin(), assistant->calls.end(),
                    [&](const FunctionCall& call) { return call.id == message.call_id; });
    if (known) continue;
    return BadRequest("a message with role 'tool' must answer a call of the message before it",
                      Concat("messages.[", i, "].tool_call_id"));
  }
  return absl::OkStatus();
}

std::vector<std::string> MissingResults(const Dialog& dialog) {
  std::vector<std::string> missing;
  if (dialog.history.empty()) return missing;
  for (const FunctionCall& call : dialog.history.back().calls) {
    const bool answered =
        std::any_of(dialog.tail.begin(), dialog.tail.end(), [&](const Message& message) {
          return message.role == Role::kTool && message.call_id == call.id;
        });
    if (!answered) missing.push_back(call.id);
  }
  return missing;
}

absl::StatusOr<TailKind> KindOf(const Dialog& dialog) {
  const auto is = [](Role role) {
    return [role](const Message& message) { return message.role == role; };
  };
  const bool user = std::any_of(dialog.tail.begin(), dialog.tail.end(), is(Role::kUser));
  const bool calls = !dialog.history.empty() && !dialog.history.back().calls.empty();
  if (user) return calls ? TailKind::kInterrupted : TailKind::kPrompt;
  std::vector<std::string> missing = MissingResults(dialog);
  if (calls && missing.empty()) return TailKind::kResults;
  if (!missing.empty()) {
    std::string names;
    for (size_t i = 0; i < std::min(missing.size(), kMaxNamedCalls); ++i) {
      Append(names, i == 0 ? "" : ", ", missing[i]);
    }
    return BadRequest(Concat("these calls have no result: ", names), "messages");
  }
  if (dialog.history.empty()) {
    return BadRequest("'messages' must have a message of the user", "messages");
  }
  return BadRequest("the last message must not be the assistant's", "messages");
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
    JoinText(turns_.back().prompt, message.text);
    turns_.back().images += message.images.size();
  }

  void AddAssistant(const Message& message) {
    if (turns_.empty()) turns_.emplace_back();
    HistoryTurn& turn = turns_.back();
    if (!message.text.empty() || message.calls.empty()) {
      turn.items.emplace_back(HistoryText{message.text});
    }
    open_.clear();
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
    call.is_error = false;
    open_.erase(it);  // the first answer counts
  }

  std::vector<HistoryTurn> turns_;
  // Of the last message of the assistant: where each call is.
  std::map<std::string, std::pair<size_t, size_t>> open_;
};

}  // namespace

absl::StatusOr<Dialog> SplitDialog(const std::vector<Message>& messages) {
  if (absl::Status status = CheckResults(messages); !status.ok()) return status;
  Dialog dialog;
  size_t behind_assistant = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::kAssistant) behind_assistant = i + 1;
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::kSystem) {
      JoinText(dialog.rules, messages[i].text);
    } else {
      (i < behind_assistant ? dialog.history : dialog.tail).push_back(messages[i]);
    }
  }
  absl::StatusOr<TailKind> kind = KindOf(dialog);
  if (!kind.ok()) return kind.status();
  dialog.kind = *kind;
  return dialog;
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
    if (message.role != Role::kUser) continue;
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
