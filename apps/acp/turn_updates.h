#ifndef CURSORWIRE_APPS_ACP_TURN_UPDATES_H_
#define CURSORWIRE_APPS_ACP_TURN_UPDATES_H_

#include <cursorwire/chat.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "acp/editor.h"
#include "acp/json.h"
#include "acp/open_calls.h"
#include "acp/unnamed_calls.h"

namespace cursor_acp {

// A piece of a text in one update; longer ones are split.
inline constexpr size_t kMaxTextPieceBytes = size_t{64} * 1024;

// What the editor is told of one turn: its events as updates of the session, in order. Thread-safe;
// waits while the editor does not read.
class TurnUpdates {
 public:
  struct Options {
    std::string session_id{};
    std::string folder{};
    std::string id_prefix{};  // of messages and calls of this turn; unique in the session
    bool notices = false;     // Abilities::notices
  };
  // `stop` ends all waiting. What it refers to must outlive it.
  TurnUpdates(Editor& editor, OpenCalls& calls, Options options, std::stop_token stop);

  void OnEvent(const cursorwire::ChatEvent& event);

  // An `update` beside those of events. Dropped after End(), since nothing of a turn may come
  // after the answer to its prompt.
  void Send(Json update);
  // Shows an action that belongs to no call of the agent, and returns its id. `members` are those
  // of a tool call. EndOwnCall() ends it.
  std::string ShowOwnCall(Json members);
  // `text`, if there is any, becomes its content.
  void EndOwnCall(const std::string& id, bool worked, std::string_view text = {});

  // The turn is over: calls that are still open have failed, and nothing more is sent.
  void End();

 private:
  // The lock is held in all of these.
  void SendLocked(Json update);
  void SendText(const char* kind, std::string_view text);
  void SendNotice(const char* severity, const std::string& text);
  void Show(const cursorwire::ToolCallInfo& call, const char* status);
  void Complete(const cursorwire::ToolCallInfo& call);
  void SendPlan(const cursorwire::ToolCallInfo& call);
  void SendUsage(const cursorwire::Checkpoint& checkpoint);
  cursorwire::ToolCallInfo WithId(cursorwire::ToolCallInfo call, UnnamedCalls::Step step);

  Editor& editor_;
  OpenCalls& calls_;
  const Options options_;
  const std::stop_token stop_;
  std::mutex mutex_;
  // Guarded by mutex_.
  bool ended_ = false;
  std::string message_kind_;  // of the message that goes on; empty: none
  size_t messages_ = 0;
  size_t own_calls_ = 0;
  UnnamedCalls unnamed_calls_;
  std::set<std::string> shown_calls_;  // that are not completed
  std::optional<Json> usage_;          // that was sent last
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_TURN_UPDATES_H_
