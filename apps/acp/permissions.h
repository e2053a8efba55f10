#ifndef CURSORWIRE_APPS_ACP_PERMISSIONS_H_
#define CURSORWIRE_APPS_ACP_PERMISSIONS_H_

#include <absl/status/status.h>

#include <chrono>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/editor.h"
#include "acp/json.h"

namespace cursor_acp {

// How long a user may think about a question without --max-idle.
inline constexpr std::chrono::milliseconds kMaxQuestionTime{3'600'000};

// What "always" allows: a kind of action and what it is done to, each as a part of its own, so that
// no text of the agent can make one scope look like another. Empty: always is not offered.
using Scope = std::vector<std::string>;

// Asks the user of the editor, one session. Thread-safe.
class Permissions {
 public:
  // `editor` must outlive it.
  Permissions(Editor& editor, std::string session_id, std::chrono::milliseconds max_time);

  // Asks about the action that `tool_call` shows: members of a ToolCallUpdate. OK: it is a yes.
  // `scope` is what "always" allows from then on, in this session: further questions of that scope
  // are not asked.
  //   kPermissionDenied  it is a no, an answer that was not offered, an error of the editor, or
  //                      nobody has answered in time; the message is for the agent
  //   kCancelled         `stop` is requested
  absl::Status Ask(Json tool_call, const Scope& scope, const std::stop_token& stop);

 private:
  bool IsAlwaysAllowed(const Scope& scope);
  absl::Status Decide(const Json& answer, const Scope& scope);

  Editor& editor_;
  const std::string session_id_;
  const std::chrono::milliseconds max_time_;
  std::mutex mutex_;
  std::set<Scope> always_;  // guarded by mutex_
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_PERMISSIONS_H_
