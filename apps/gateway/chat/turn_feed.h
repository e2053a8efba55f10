#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_TURN_FEED_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_TURN_FEED_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/chat_observer.h>
#include <cursorwire/connect/call.h>
#include <cursorwire/tools.h>

#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "http/event_loop.h"

namespace cursor_gateway {

// What happens in a turn, on the loop's thread.
struct TurnEvent {
  cursorwire::ChatEvent event;
  cursorwire::connect::CreditHold hold;
};
struct TurnCall {
  cursorwire::ToolCall call;
  cursorwire::ToolReply reply;
};
struct TurnEnd {
  absl::Status status;
};
using TurnItem = std::variant<TurnEvent, TurnCall, TurnEnd>;

class TurnListener {
 public:
  virtual ~TurnListener() = default;
  virtual void OnItem(TurnItem item) = 0;
  // An item failed: the turn is cancelled, and its client told why. Its end still comes.
  virtual void End(const absl::Status& why) = 0;
};

// Brings the events of a turn, and the calls of its tools, from the threads of the Client to the
// loop's. Thread-safe. It may outlive its listener, which then hears of nothing.
class TurnFeed final : public cursorwire::ChatObserver,
                       public std::enable_shared_from_this<TurnFeed> {
 public:
  TurnFeed(EventLoop& loop, std::weak_ptr<TurnListener> listener)
      : loop_(loop), listener_(std::move(listener)) {}

  void OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) override;
  void OnEnd(absl::Status status) override;
  // For ToolRegistry::AddLater().
  void OnCall(const cursorwire::ToolCall& call, cursorwire::ToolReply reply);

 private:
  void Push(TurnItem item);
  void Deliver();
  void Tell(TurnListener& listener, TurnItem item);

  EventLoop& loop_;
  const std::weak_ptr<TurnListener> listener_;
  std::mutex mutex_;
  std::vector<TurnItem> items_;  // guarded by mutex_
  bool posted_ = false;          // guarded by mutex_: Deliver() will run
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_TURN_FEED_H_
