#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_DRIVER_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_DRIVER_H_

#include <absl/base/thread_annotations.h>
#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/url.h"
#include "channel/loop/call_state.h"
#include "channel/loop/deferred_ends.h"
#include "channel/loop/link_loop.h"
#include "channel/loop/poll_role.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/export.h"
#include "net/resolver.h"
#include "net/waker.h"

namespace cursorwire::connect {

struct ConnectionPin::State {
  State(std::shared_ptr<internal::Driver> owner, std::shared_ptr<ConnectionObserver> pin_observer)
      : driver(std::move(owner)), observer(std::move(pin_observer)) {}
  ~State();

  const std::shared_ptr<internal::Driver> driver;
  const std::shared_ptr<ConnectionObserver> observer;
  uint64_t serial = 0;  // written once, before the state is shared
};

namespace internal {

// What other threads want of a Channel, as commands for its loop, and the thread of that loop.
//
// Whoever holds the poll role does Work() and Wait() in turns; nobody else touches the loop. The
// thread that Start() makes ends the driver; until then a consumer may hold the role in its place.
// Post() and the functions above it are thread-safe, the rest belongs to the holder of the role.
class CURSORWIRE_HIDDEN Driver : public std::enable_shared_from_this<Driver> {
 public:
  static absl::StatusOr<std::shared_ptr<Driver>> Start(
      Url url, const ChannelOptions& options, const net::Resolver& resolver = net::ResolveBySystem);
  // Ends all calls and waits for the thread, unless it is the caller.
  void Stop();

  Call StartCall(const CallRequest& request, std::shared_ptr<CallObserver> observer);
  std::shared_ptr<ConnectionPin::State> Pin(std::shared_ptr<ConnectionObserver> observer);
  Call StartPinnedCall(const std::shared_ptr<ConnectionPin::State>& pin, const CallRequest& request,
                       std::shared_ptr<CallObserver> observer);
  void Unpin(uint64_t pin_serial);
  // A call that is never made: see sibling_call.h.
  Call HoldCall(std::shared_ptr<CallObserver> observer);
  // A call that is not made: its observer is told why.
  Call RefuseCall(const CallRequest& request, std::shared_ptr<CallObserver> observer,
                  const absl::Status& why);

  absl::Status Send(const std::shared_ptr<Call::State>& call, std::string message);
  void CloseSend(const std::shared_ptr<Call::State>& call);
  void Cancel(const std::shared_ptr<Call::State>& call);
  void ReleaseCredit(const std::shared_ptr<Call::State>& call, size_t credit);
  void SetAlarm(const std::shared_ptr<Call::State>& call, std::optional<TimePoint> time);

  void WakeCall(const std::shared_ptr<Call::State>& call);

  // nullptr for no call.
  static PollRole* RoleOf(const Call& call);
  // `call` must be one.
  static Driver& Of(const Call& call) { return *call.state_->driver; }
  // For a thread that has just taken the role of the call's channel: runs the loop until `done` or
  // until the background thread is needed, and leaves the role.
  static void DriveUntil(const Call& call, absl::FunctionRef<bool()> done);

  size_t stream_window_bytes() const { return loop_.options().http2.stream_window_bytes; }
  const std::vector<std::shared_ptr<Interceptor>>& interceptors() const {
    return loop_.options().interceptors;
  }

 private:
  using Command = std::function<void()>;
  using CallPtr = std::shared_ptr<Call::State>;

  CallPtr NewCall(const CallRequest& request, std::shared_ptr<CallObserver> observer);

  Driver(Url url, const ChannelOptions& options, const std::shared_ptr<net::Waker>& waker,
         const net::Resolver& resolver)
      : waker_(waker),
        role_(options.io_thread),
        loop_(std::move(url), options, waker, resolver, role_) {}

  // False if the driver has stopped: the command will not run.
  bool Post(Command command);
  // Runs the command here and now if nobody holds the role; else its holder hears of it.
  void AfterPost();
  void LeaveRole();
  void RunInBackground();
  bool RunCommands();
  bool HasCommands();

  // What they call must not throw: an exception would leave the role taken forever.
  void Work() noexcept;
  void Wait() noexcept;
  // Once the loop is stopping.
  void AwaitFarewells() noexcept;
  void RunLastCommands();
  void Shutdown();

  void EndUnstarted(const CallPtr& call, const absl::Status& status);
  // The channel is closed.
  void EndLate(const CallPtr& call);

  const std::shared_ptr<net::Waker> waker_;  // shared with lookups that outlive their link
  std::thread thread_;
  PollRole role_;

  std::mutex mutex_;
  std::vector<Command> commands_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  DeferredEnds late_;

  std::atomic<uint64_t> next_serial_ = 1;
  LinkLoop loop_;  // the role holder's
};

}  // namespace internal
}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_DRIVER_H_
