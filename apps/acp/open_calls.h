#ifndef CURSORWIRE_APPS_ACP_OPEN_CALLS_H_
#define CURSORWIRE_APPS_ACP_OPEN_CALLS_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

namespace cursor_acp {

// The tool calls of a turn that are under way, so that an action which the agent asks for is shown
// as the call that wants it. Thread-safe.
class OpenCalls {
 public:
  // The service tells of a call, maybe several times.
  void OnStarted(const std::string& call_id);
  void OnCompleted(const std::string& call_id);
  // The editor knows the call.
  void OnShown(const std::string& call_id);
  // The turn is over: nobody waits any more.
  void End();

  // Waits until the editor knows the call, and returns its id. An action without an id belongs to
  // the call that is under way, if it is the only one. "": there is no such call, or `stop` is
  // requested.
  std::string AwaitShown(const std::string& call_id, const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, bool> calls_;  // by id: whether it is shown; guarded by mutex_
  bool ended_ = false;                 // guarded by mutex_
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_OPEN_CALLS_H_
