// Room: src/agent/history
#ifndef CURSORWIRE_HISTORY_H_
#define CURSORWIRE_HISTORY_H_

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "cursorwire/chat_error.h"

namespace cursorwire {

// What was said and done in the turns of a conversation: enough to tell a service that does not
// know them. Reasoning is not part of it. Values; all texts are UTF-8. Source: docs/protocol.md,
// root prompt messages.

// What the agent said between two tool calls.
struct HistoryText {
  std::string text{};

  friend bool operator==(const HistoryText&, const HistoryText&) = default;
};

// A tool that the agent used, and what it got.
struct HistoryToolCall {
  std::string call_id{};
  // As the model called it: "mcp_cursorwire_get_weather" for a tool of a ToolRegistry, "shell",
  // "read", ... for an action on this machine.
  std::string name{};
  std::string
      arguments_json{};  // an object; longer ones are replaced, see kMaxHistoryArgumentsBytes
  std::string result{};  // longer ones are cut, see kMaxHistoryResultBytes
  bool is_error = false;

  friend bool operator==(const HistoryToolCall&, const HistoryToolCall&) = default;
};

using HistoryItem = std::variant<HistoryText, HistoryToolCall>;

struct HistoryTurn {
  std::string prompt{};
  size_t images = 0;  // how many the user showed; they are not kept
  std::vector<HistoryItem> items{};
  // Not kCompleted: the turn was stopped or has failed. `items` are what was said and done until
  // then, and the agent is told of the ending after them.
  TurnEnding ending = TurnEnding::kCompleted;

  friend bool operator==(const HistoryTurn&, const HistoryTurn&) = default;
};

// Bounds of one tool call. Source: docs/protocol.md, root prompt messages.
inline constexpr size_t kMaxHistoryResultBytes = 20'000;
inline constexpr size_t kMaxHistoryArgumentsBytes = size_t{64} * 1024;

// How far a turn has come: what its host needs to keep it in a history or, after a lost connection,
// to go on with another Run. A value.
struct RunProgress {
  // The turn so far, with the items that the Run started with. Of the tools, those that gave a
  // result.
  HistoryTurn turn{};
  bool complete = false;  // TurnEnded was given
  // More came than is kept: `turn` is not the whole turn, and says so. The bound: docs/limits.md.
  bool truncated = false;

  // The last Checkpoint of this Run; empty: none came. What follows is relative to it or, without
  // one, to the start of the Run.
  std::string checkpoint{};
  // It holds all that came of the turn.
  bool held_whole = false;
  // The items of `turn` that it holds.
  std::vector<HistoryItem> held{};
  // The actions that were handed to the host and gave no result, in order. Their results say that.
  std::vector<HistoryToolCall> unanswered{};
  // The text of the answer that was given out after it. What another Run that goes on from it says
  // first may repeat this.
  std::string text_since{};
  // A tool was used that it does not hold, or may not hold.
  bool tools_since = false;
  // Text was given out after the last of these tools.
  bool text_since_tools = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_HISTORY_H_
