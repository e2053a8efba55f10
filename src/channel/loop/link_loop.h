#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_LINK_LOOP_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_LINK_LOOP_H_

#include <absl/status/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/url.h"
#include "channel/loop/alarms.h"
#include "channel/loop/call_state.h"
#include "channel/loop/link_pool.h"
#include "channel/loop/poll_role.h"
#include "channel/loop/ready_wait.h"
#include "channel/loop/retry_decision.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/export.h"
#include "net/poller.h"
#include "net/resolver.h"
#include "net/waker.h"

namespace cursorwire::connect::internal {

// What drives the connections of a channel and hands out what comes on them. All of it belongs to
// the holder of the poll role; other threads reach it by the commands of the Driver.
//
// Order: Prepare() once; then Work() and Wait() in turns, with commands in between; after Stop(),
// SayFarewells() and Wait() in turns until it returns false, then Shutdown().
class CURSORWIRE_HIDDEN LinkLoop {
 public:
  using CallPtr = std::shared_ptr<Call::State>;

  // `role` is told when a call ends that had reserved it; it outlives the loop.
  LinkLoop(Url url, const ChannelOptions& options, const std::shared_ptr<net::Waker>& waker,
           const net::Resolver& resolver, PollRole& role)
      : waker_(waker), role_(role), links_(std::move(url), options, waker, resolver) {}

  // An error of LinkPool::Prepare().
  absl::Status Prepare();

  const Url& url() const { return links_.url(); }
  const ChannelOptions& options() const { return links_.options(); }

  // What commands do. A call whose observer has its end is left alone.
  void Start(const CallPtr& call);
  // False if the pinned connection is gone.
  bool StartPinned(uint64_t pin_serial, const CallPtr& call);
  void OpenPinned(uint64_t pin_serial, std::shared_ptr<ConnectionObserver> observer) {
    links_.OpenPinned(pin_serial, std::move(observer));
  }
  void Unpin(uint64_t pin_serial);
  // A call that is never made.
  void Hold(const CallPtr& call);
  void Send(const CallPtr& call, std::string message);
  void CloseSend(const CallPtr& call);
  void Cancel(const CallPtr& call);
  // What was released since it was called last.
  void ReleaseCredit(const CallPtr& call);
  void SetAlarm(const CallPtr& call, std::optional<TimePoint> time);
  void Stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }

  // A turn. What observers throw must not get out of it: see Driver.
  void Work();
  // Waits once, for the network, the waker or a deadline; not at all if there are commands.
  void Wait(bool has_commands);
  // Calls were started again since the last Wait(): the next turn is due at once.
  bool replayed() const { return replayed_; }
  // Sends what calls say at their end. False if the loop need not wait for that any more.
  bool SayFarewells();
  // Ends all calls, those that are on no connection with `why`.
  void Shutdown(const absl::Status& why);

 private:
  // Reads, writes and hands out what there is.
  void Advance();
  bool HasFarewells();
  void CloseUnwantedLinks();
  void RunTimers();
  std::optional<TimePoint> NextDeadline();

  void Begin(LinkEntry& entry, const CallPtr& call);
  // Starts the call on a connection, for the first time or again.
  void Attach(LinkEntry& entry, const CallPtr& call);
  RetryDecision AnotherTryOf(const LinkEntry& entry, const Call::State& call,
                             const absl::Status& status) const;
  // The server could not be reached, as `why` says: the call waits until it can.
  void WaitForServer(const CallPtr& call, absl::Status why);
  void RetryWaiting(TimePoint now);
  // False if there was none.
  bool RunReplays();
  // Attaches it once more, and sends what it has sent.
  void Restart(const CallPtr& call);

  void Pump(LinkEntry& entry);
  void Deliver(LinkEntry& entry, ConnectionEvent event);
  // Those that come before any other event.
  void DeliverMessages(LinkEntry& entry);
  void DeliverMessage(const CallPtr& call, const MessageView& message);
  void DeliverOfConnection(LinkEntry& entry, const ConnectionEvent& event);
  void DeliverEnd(const CallPtr& call, CallEnd end);
  void EndWith(const CallPtr& call, const absl::Status& status);
  void EndBatch();

  void SendOn(LinkEntry* entry, const CallPtr& call, std::string_view message);
  // Ends a call one of whose messages cannot be sent.
  void EndUnsendable(LinkEntry& entry, const CallPtr& call, const absl::Status& status);
  void UpdateUnsent(LinkEntry* entry, const CallPtr& call);
  void ReportSent();

  const std::shared_ptr<net::Waker> waker_;  // shared with lookups that outlive their link
  PollRole& role_;
  LinkPool links_;
  bool stopping_ = false;
  std::optional<TimePoint> farewell_end_;  // what may hold the channel up ends then
  bool replayed_ = false;                  // since the last Wait()
  std::vector<CallPtr> replays_;           // refused, and to be started again
  ReadyWait<CallPtr> waits_;
  std::vector<CallPtr> held_;     // that are never made
  std::vector<CallPtr> batch_;    // got events since the last EndBatch()
  std::vector<CallPtr> ending_;   // scratch of EndBatch()
  std::vector<CallPtr> sending_;  // have bytes in the session
  Alarms<CallPtr> alarms_;
  net::Poller poller_;
  std::vector<char> read_buffer_;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_LINK_LOOP_H_
