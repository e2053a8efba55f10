#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ACP_OPEN_CALLS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ACP_OPEN_CALLS_H_

#include <cursorwire/chat.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace cursor_chat::acp {

// The tool calls of a turn that are under way, so that an action which the agent asks for can be
// shown as the call that wants it. An action carries no id that a handler sees; its path or command
// tells which call it is. Thread-safe.
class OpenCalls {
 public:
  // The service tells of a call, again once its arguments are complete.
  void OnStarted(const cursorwire::ToolCallInfo& call);
  void OnCompleted(const std::string& call_id);
  // The editor knows the call.
  void OnShown(const std::string& call_id);
  // The turn is over: nobody waits any more.
  void End();

  using Fits = std::function<bool(const cursorwire::ToolCallInfo& call)>;
  // The id of the newest call that fits, once the editor knows it; "": there is none, or `stop` is
  // requested.
  std::string AwaitShown(const Fits& fits, const std::stop_token& stop);

 private:
  struct Call {
    cursorwire::ToolCallInfo info;
    bool shown = false;
  };
  Call* Find(const std::string& call_id);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Call> calls_;  // guarded by mutex_
  bool ended_ = false;       // guarded by mutex_
};

}  // namespace cursor_chat::acp

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ACP_OPEN_CALLS_H_
