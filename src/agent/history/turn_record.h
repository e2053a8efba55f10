#ifndef CURSORWIRE_SRC_AGENT_HISTORY_TURN_RECORD_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_TURN_RECORD_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/history/exec_text.h"
#include "agent/history/long_text.h"
#include "cursorwire/chat.h"
#include "cursorwire/exec.h"
#include "cursorwire/history.h"

namespace cursorwire::agent {

// Writes down what comes of a turn, as it is given out: its text, the tools that it used and their
// results, and how much of that the last checkpoint holds.
//
// A tool that was answered before a checkpoint is held by it if the service had shown the call as
// completed, or if the checkpoint names no pending tool call. Thread-compatible.
class TurnRecord {
 public:
  // Bounds of what is kept: text and results, and the number of texts and tools.
  static constexpr size_t kMaxBytes = size_t{8} * 1024 * 1024;
  static constexpr size_t kMaxEntries = 4096;

  // `start`: the prompt, and what this turn has said and done in earlier Runs.
  explicit TurnRecord(HistoryTurn start);

  void OnEvent(const ChatEvent& event);
  // The same as of a TextDelta.
  void OnText(std::string_view text);
  // An action was handed to the host, and what became of it. Answers of actions that are not open
  // have no effect.
  void OnExec(const ExecRequest& request);
  void OnExecOutput(uint32_t id, std::string_view out, std::string_view err);
  void OnExecAnswer(uint32_t id, const absl::StatusOr<ExecOutput>& output);
  // The service does not want its answer any more.
  void OnExecAbort(uint32_t id);

  RunProgress progress() const;

 private:
  struct Entry {
    HistoryItem item;    // for a text: an empty HistoryText
    LongText text{};     // what that text says
    bool used = false;   // for a tool: the host or the service ran it
    bool done = false;   // for a tool: its result is there
    bool shown = false;  // for a tool: the service has shown its result
    bool held = false;   // the last checkpoint holds it
    std::optional<uint32_t> exec_id{};
    // For a tool: what stands for it. A call that the service shows may be made of several actions.
    bool is_call = false;            // the service showed it, else the host was asked for it
    bool is_former = false;          // an earlier Run did it
    std::optional<size_t> action{};  // hash of the last action of this Run
    bool only_read = false;          // its actions have only read a file
    PrintedText printed{};           // what a streamed command has printed
  };

  void OnToolCall(const ToolCallInfo& info);
  void OnToolCompleted(const ToolCallInfo& info);
  void OnCheckpoint(const std::string& state);
  // The action is one of those that the entry stands for, and what the entry says of former ones
  // may be replaced.
  static bool Takes(const Entry& entry, std::string_view name, size_t action);
  static HistoryItem ItemOf(const Entry& entry);
  static HistoryToolCall UnansweredOf(const Entry& entry);
  // How much text the last entry has; 0: it is a tool.
  size_t LastTextBytes() const;
  // The entry of the call; nullptr: there is none.
  Entry* FindCall(std::string_view call_id);
  Entry* FindExec(uint32_t id);
  // nullptr: it is over a bound.
  Entry* AddCall(HistoryToolCall call);
  // False: `bytes` more are over the bound.
  bool Fits(size_t bytes);
  std::string TextSince(size_t first) const;

  HistoryTurn start_;  // without items
  std::vector<Entry> entries_;
  size_t bytes_ = 0;
  bool truncated_ = false;
  bool complete_ = false;
  bool dropped_since_ = false;  // since the last checkpoint, something was not kept
  std::string checkpoint_;
  // What the last checkpoint holds, or the Run started with: so many entries, and of the last one,
  // if it is text, so many bytes.
  size_t held_entries_ = 0;
  size_t held_text_bytes_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_TURN_RECORD_H_
