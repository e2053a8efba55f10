#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_QUEUE_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_QUEUE_H_

#include <absl/base/thread_annotations.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// Decides which script a run plays, and counts the runs that have ended. Thread-safe, except for
// Pick(), which only the server's thread may call.
class ScriptQueue {
 public:
  explicit ScriptQueue(std::vector<CompiledScript> scripts) : scripts_(std::move(scripts)) {}

  bool has_scripts() const { return !scripts_.empty(); }
  // The first script whose `when` matches the prompt. Otherwise the next script without a `when`;
  // once all were used, the last of them again. nullptr: every script has a `when`, and none
  // matches.
  const CompiledScript* Pick(const std::string& prompt);

  void OnRunEnd();
  size_t ended() const;
  bool WaitForEnded(size_t runs, std::chrono::milliseconds timeout) const;

 private:
  const std::vector<CompiledScript> scripts_;
  size_t next_ = 0;  // index among the scripts without a `when`

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  size_t ended_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_QUEUE_H_
