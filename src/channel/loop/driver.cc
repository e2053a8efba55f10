#include "channel/loop/driver.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/error.h"
#include "net/thread.h"

namespace cursorwire::connect {

ConnectionPin::State::~State() { driver->Unpin(serial); }

namespace internal {
namespace {

constexpr int kLastCommandRounds = 8;

absl::Status ChannelClosed() {
  return MakeError(absl::StatusCode::kCancelled, "the channel was closed",
                   {.origin = ErrorOrigin::kLocal});
}

}  // namespace

absl::StatusOr<std::shared_ptr<Driver>> Driver::Start(Url url, const ChannelOptions& options,
                                                      const net::Resolver& resolver) {
  absl::StatusOr<std::shared_ptr<net::Waker>> waker = net::Waker::Create();
  if (!waker.ok()) return waker.status();
  std::shared_ptr<Driver> driver(new Driver(std::move(url), options, *waker, resolver));
  if (absl::Status status = driver->loop_.Prepare(); !status.ok()) return status;
  // The thread shares the driver: it may outlive a channel that is destroyed in a callback.
  const bool started = net::StartThread(driver->thread_, [driver] { driver->RunInBackground(); });
  if (!started) return net::NoThreadError();
  return driver;
}

void Driver::Stop() {
  role_.Reserve();  // for good: only the background thread ends the calls
  Post([this] { loop_.Stop(); });
  if (!thread_.joinable()) return;
  if (role_.held_here()) {
    thread_.detach();  // from within a callback: the thread ends after it
  } else {
    thread_.join();
  }
}

Call Driver::StartCall(const CallRequest& request, std::shared_ptr<CallObserver> observer) {
  const CallPtr call = NewCall(request, std::move(observer));
  if (!Post([this, call] { loop_.Start(call); })) EndLate(call);
  return Call(call);
}

Driver::CallPtr Driver::NewCall(const CallRequest& request,
                                std::shared_ptr<CallObserver> observer) {
  auto shared = std::make_shared<CallRequest>(request);
  // A path without a slash is for the connection to refuse.
  if (request.path.starts_with('/')) shared->path.insert(0, loop_.url().path);
  auto call =
      std::make_shared<Call::State>(shared_from_this(), std::move(shared), std::move(observer));
  call->serial = next_serial_++;
  call->reserves_role = call->observer->callback_thread() == CallbackThread::kChannel;
  if (call->reserves_role) role_.Reserve();
  return call;
}

std::shared_ptr<ConnectionPin::State> Driver::Pin(std::shared_ptr<ConnectionObserver> observer) {
  auto pin = std::make_shared<ConnectionPin::State>(shared_from_this(), std::move(observer));
  pin->serial = next_serial_++;
  role_.Reserve();  // for good: its observer may be called for as long as the link is there
  const bool posted = Post([this, serial = pin->serial, observer = pin->observer] {
    loop_.OpenPinned(serial, observer);
  });
  if (!posted && pin->observer != nullptr) pin->observer->OnDown({.status = ChannelClosed()});
  return pin;
}

Call Driver::StartPinnedCall(const std::shared_ptr<ConnectionPin::State>& pin,
                             const CallRequest& request, std::shared_ptr<CallObserver> observer) {
  const CallPtr call = NewCall(request, std::move(observer));
  const bool posted = Post([this, call, serial = pin->serial] {
    if (loop_.StartPinned(serial, call)) return;
    EndUnstarted(call, TransportError("the pinned connection is gone", Replay::kSafe));
  });
  if (!posted) EndLate(call);
  return Call(call);
}

void Driver::Unpin(uint64_t pin_serial) {
  Post([this, pin_serial] { loop_.Unpin(pin_serial); });
}

Call Driver::HoldCall(std::shared_ptr<CallObserver> observer) {
  const CallPtr call = NewCall(CallRequest(), std::move(observer));
  if (!Post([this, call] { loop_.Hold(call); })) EndLate(call);
  return Call(call);
}

Call Driver::RefuseCall(const CallRequest& request, std::shared_ptr<CallObserver> observer,
                        const absl::Status& why) {
  const CallPtr call = NewCall(request, std::move(observer));
  if (!Post([this, call, why] { EndUnstarted(call, why); })) EndLate(call);
  return Call(call);
}

absl::Status Driver::Send(const CallPtr& call, std::string message) {
  const size_t size = message.size();
  if (size > call->max_send_bytes) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("message of ", size, " bytes is over the send limit of ",
                                   call->max_send_bytes, " bytes"));
  }
  if (call->ended || call->send_closed) {
    return LocalError(
        absl::StatusCode::kFailedPrecondition,
        call->ended ? "the call has ended" : "the sending side of the call is closed");
  }
  if (call->kind == CallKind::kUnary) call->send_closed = true;
  ++call->sent_messages;
  call->sent_bytes += size;
  // Before the command: when that has run, ReportSent() sees the mark.
  if ((call->unsent_bytes += size) > kSendHighWater) call->over_high_water = true;
  Post([this, call, message = std::move(message)]() mutable {
    loop_.Send(call, std::move(message));
  });
  return absl::OkStatus();
}

void Driver::CloseSend(const CallPtr& call) {
  if (call->send_closed.exchange(true)) return;
  Post([this, call] { loop_.CloseSend(call); });
}

void Driver::Cancel(const CallPtr& call) {
  if (call->ended || call->cancelled.exchange(true)) return;
  Post([this, call] { loop_.Cancel(call); });
}

void Driver::ReleaseCredit(const CallPtr& call, size_t credit) {
  if (call->ended || credit == 0) return;
  // One command takes all that is released until it runs.
  size_t before = call->released_credit;
  while (!call->released_credit.compare_exchange_weak(
      before, before + std::min(credit, std::numeric_limits<size_t>::max() - before))) {
  }
  if (before > 0) return;
  Post([this, call] { loop_.ReleaseCredit(call); });
}

void Driver::SetAlarm(const CallPtr& call, std::optional<TimePoint> time) {
  if (call->ended) return;
  Post([this, call, time] { loop_.SetAlarm(call, time); });
}

void Driver::WakeCall(const CallPtr& call) {
  Post([call] {
    if (call->observer != nullptr) call->observer->OnWake(net::Now());
  });
}

bool Driver::Post(Command command) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    commands_.push_back(std::move(command));
  }
  AfterPost();
  return true;
}

void Driver::AfterPost() {
  switch (role_.AfterPost()) {
    case PollRole::Next::kNothing:
      return;
    case PollRole::Next::kWakeHolder:
      return waker_->Wake();
    case PollRole::Next::kDrive:
      Work();
      return LeaveRole();
  }
}

PollRole* Driver::RoleOf(const Call& call) {
  return call.state_ == nullptr ? nullptr : &call.state_->driver->role_;
}

void Driver::DriveUntil(const Call& call, absl::FunctionRef<bool()> done) {
  Driver& driver = *call.state_->driver;
  for (;;) {
    driver.Work();
    if (done() || !driver.role_.serves_all()) break;
    driver.Wait();
  }
  driver.LeaveRole();
}

void Driver::LeaveRole() {
  const bool replayed = loop_.replayed();
  role_.Leave();
  // One who posted while the role was held has left it to the holder.
  if (replayed || HasCommands()) role_.CallBackground();
}

void Driver::RunInBackground() {
  role_.StartInBackground();
  for (;;) {
    Work();
    if (loop_.stopping()) break;
    role_.PassOn();
    Wait();
  }
  AwaitFarewells();
  Shutdown();
}

bool Driver::RunCommands() {
  std::vector<Command> commands;
  {
    const std::lock_guard lock(mutex_);
    if (!role_.serves_all()) return false;
    commands.swap(commands_);
  }
  for (Command& command : commands) command();
  return !commands.empty();
}

bool Driver::HasCommands() {
  const std::lock_guard lock(mutex_);
  return !commands_.empty();
}

// Brings everything up to date. Commands that come in meanwhile, from callbacks too, are the next
// turn's: they never keep it from reading.
void Driver::Work() noexcept {
  RunCommands();
  if (!loop_.stopping()) loop_.Work();
}

void Driver::Wait() noexcept { loop_.Wait(HasCommands()); }

void Driver::AwaitFarewells() noexcept {
  for (RunLastCommands(); loop_.SayFarewells(); RunCommands()) Wait();
}

// What was asked for before is done as far as it goes without waiting: commands may post more.
void Driver::RunLastCommands() {
  for (int i = 0; i < kLastCommandRounds && RunCommands(); ++i) {
  }
}

void Driver::Shutdown() {
  RunLastCommands();
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  RunCommands();
  loop_.Shutdown(ChannelClosed());
}

void Driver::EndLate(const CallPtr& call) {
  late_.End([this, call] { EndUnstarted(call, ChannelClosed()); });
}

void Driver::EndUnstarted(const CallPtr& call, const absl::Status& status) {
  call->ended = true;
  if (call->reserves_role) role_.Unreserve();
  if (const auto observer = std::exchange(call->observer, nullptr)) {
    observer->OnEnd({.status = status, .trailers = {}});
  }
}

}  // namespace internal
}  // namespace cursorwire::connect
