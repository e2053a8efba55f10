#ifndef CURSORWIRE_APPS_ACP_TURN_H_
#define CURSORWIRE_APPS_ACP_TURN_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <utility>

#include "acp/editor.h"
#include "acp/open_calls.h"
#include "acp/turn_updates.h"

namespace cursor_acp {

// One prompt while it is answered. Thread-safe.
class Turn {
 public:
  // `editor` must outlive it.
  Turn(Editor& editor, TurnUpdates::Options options)
      : updates_(editor, calls_, std::move(options), stop_.get_token()) {}

  OpenCalls& calls() { return calls_; }
  TurnUpdates& updates() { return updates_; }
  void Cancel() { stop_.request_stop(); }
  std::stop_token stop() const { return stop_.get_token(); }

  // An action of the agent that is under way, while it lives.
  class Action {
   public:
    explicit Action(Turn& turn) : turn_(turn) { turn_.Count(1); }
    ~Action() { turn_.Count(-1); }
    Action(const Action&) = delete;
    Action& operator=(const Action&) = delete;

   private:
    Turn& turn_;
  };
  // Waits until no action is under way, for so long at most. False: some still are.
  bool AwaitActions(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return actions_ == 0; });
  }

 private:
  void Count(int difference) {
    const std::lock_guard lock(mutex_);
    actions_ += difference;
    changed_.notify_all();
  }

  std::stop_source stop_;
  OpenCalls calls_;
  TurnUpdates updates_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int actions_ = 0;  // guarded by mutex_
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_TURN_H_
