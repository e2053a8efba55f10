#ifndef CURSORWIRE_APPS_ACP_TURN_FEED_H_
#define CURSORWIRE_APPS_ACP_TURN_FEED_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/chat_observer.h>
#include <cursorwire/connect/call.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <variant>

#include "acp/open_calls.h"

namespace cursor_acp {

// The events of one turn, for a thread that waits for them. Tool calls are noted in `calls` as they
// arrive, before the actions after them can reach a handler. Memory: events keep their credit
// until they are taken, so a window of them is the most that waits here.
class TurnFeed final : public cursorwire::ChatObserver {
 public:
  // `calls` must outlive the turn.
  explicit TurnFeed(OpenCalls& calls) : calls_(calls) {}

  // The last item of a turn is its status.
  using Item = std::variant<cursorwire::ChatEvent, absl::Status>;
  // Waits for the next one. The one before is done with.
  Item Next();

  void OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) override;
  void OnEnd(absl::Status status) override;

 private:
  struct Entry {
    Item item;
    cursorwire::connect::CreditHold credit{};
  };
  void Push(Entry entry);

  OpenCalls& calls_;
  cursorwire::connect::CreditHold taken_;  // of the event that Next() gave last
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<Entry> entries_;  // guarded by mutex_
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_TURN_FEED_H_
