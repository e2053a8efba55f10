#include "channel/driver.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/error.h"
#include "channel/intercepted_call.h"
#include "net/thread.h"

namespace cursorwire::connect {

ConnectionPin::State::~State() { driver->Unpin(serial); }

namespace internal {
namespace {

// One read takes many TLS records at once; it is the driver's, not the connection's.
constexpr size_t kReadBufferBytes = size_t{256} * 1024;

constexpr int kLastCommandRounds = 8;
// How long the destructor of a channel waits for the server to act on last messages.
constexpr std::chrono::milliseconds kFarewellGrace{500};

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
  if (absl::Status status = driver->links_.LoadCertificates(); !status.ok()) return status;
  driver->read_buffer_.resize(kReadBufferBytes);
  // The thread shares the driver: it may outlive a channel that is destroyed in a callback.
  const bool started = net::StartThread(driver->thread_, [driver] { driver->RunInBackground(); });
  if (!started) return net::NoThreadError();
  return driver;
}

void Driver::Stop() {
  role_.Reserve();  // for good: only the background thread ends the calls
  Post([this] { stopping_ = true; });
  if (!thread_.joinable()) return;
  if (role_.held_here()) {
    thread_.detach();  // from within a callback: the thread ends after it
  } else {
    thread_.join();
  }
}

Call Driver::StartCall(const CallRequest& request, std::shared_ptr<CallObserver> observer) {
  const CallPtr call = NewCall(request, std::move(observer));
  if (!Post([this, call] { Begin(links_.ForNewCall(), call); })) EndLate(call);
  return Call(call);
}

Driver::CallPtr Driver::NewCall(const CallRequest& request,
                                std::shared_ptr<CallObserver> observer) {
  auto shared = std::make_shared<CallRequest>(request);
  // A path without a slash is for the connection to refuse.
  if (request.path.starts_with('/')) shared->path.insert(0, links_.url().path);
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
    links_.OpenPinned(serial, observer);
  });
  if (!posted && pin->observer != nullptr) pin->observer->OnDown({.status = ChannelClosed()});
  return pin;
}

Call Driver::StartPinnedCall(const std::shared_ptr<ConnectionPin::State>& pin,
                             const CallRequest& request, std::shared_ptr<CallObserver> observer) {
  const CallPtr call = NewCall(request, std::move(observer));
  const bool posted = Post([this, call, serial = pin->serial] {
    if (LinkEntry* entry = links_.FindPinned(serial)) {
      Begin(*entry, call);
    } else {
      EndUnstarted(call, TransportError("the pinned connection is gone", Replay::kSafe));
    }
  });
  if (!posted) EndLate(call);
  return Call(call);
}

void Driver::Unpin(uint64_t pin_serial) {
  Post([this, pin_serial] {
    if (LinkEntry* entry = links_.FindPinned(pin_serial)) entry->pinned = false;
  });
}

Call Driver::HoldCall(std::shared_ptr<CallObserver> observer) {
  const CallPtr call = NewCall(CallRequest(), std::move(observer));
  const bool posted = Post([this, call] {
    held_.push_back(call);
    call->observer->OnStart(Call(call));
  });
  if (!posted) EndLate(call);
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
    if (call->intercepted != nullptr && !call->ended) call->intercepted->OnSend(message);
    SendOn(links_.EntryOf(*call), call, message);
    if (!call->ended) call->replay.AddMessage(std::move(message));
  });
  return absl::OkStatus();
}

void Driver::CloseSend(const CallPtr& call) {
  if (call->send_closed.exchange(true)) return;
  Post([this, call] {
    call->replay.AddCloseSend();
    if (LinkEntry* entry = links_.EntryOf(*call)) entry->link->connection().CloseSend(call->id);
  });
}

void Driver::Cancel(const CallPtr& call) {
  if (call->ended || call->cancelled.exchange(true)) return;
  Post([this, call] {
    if (waits_.Remove(call) || std::erase(held_, call) > 0)
      return DeliverEnd(call, {.status = CancelledByCaller(), .trailers = {}});
    if (LinkEntry* entry = links_.EntryOf(*call)) entry->link->connection().Cancel(call->id);
  });
}

void Driver::ReleaseCredit(const CallPtr& call, size_t credit) {
  if (call->ended || credit == 0) return;
  // One command takes all that is released until it runs.
  size_t before = call->released_credit;
  while (!call->released_credit.compare_exchange_weak(
      before, before + std::min(credit, std::numeric_limits<size_t>::max() - before))) {
  }
  if (before > 0) return;
  Post([this, call] {
    const size_t released = call->released_credit.exchange(0);
    LinkEntry* entry = links_.EntryOf(*call);
    if (entry != nullptr) entry->link->connection().ReleaseCredit(call->id, released);
  });
}

void Driver::SetAlarm(const CallPtr& call, std::optional<TimePoint> time) {
  if (call->ended) return;
  Post([this, call, time] {
    if (call->ended) return;
    if (time) {
      alarms_.Set(call->serial, call, *time);
    } else {
      alarms_.Remove(call->serial);
    }
  });
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
  const bool replayed = replayed_;
  role_.Leave();
  // One who posted while the role was held has left it to the holder.
  if (replayed || HasCommands()) role_.CallBackground();
}

void Driver::RunInBackground() {
  role_.StartInBackground();
  for (;;) {
    Work();
    if (stopping_) break;
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
  if (stopping_) return;
  Advance();
  if (RunReplays()) replayed_ = true;
  EndBatch();
  ReportSent();
  CloseUnwantedLinks();
  links_.RemoveDead();
}

void Driver::Advance() {
  for (const auto& entry : links_) {
    entry->link->Advance(net::Now());
    Pump(*entry);
  }
}

// Once, for the network, a command or a deadline.
void Driver::Wait() noexcept {
  const bool at_once = std::exchange(replayed_, false) || HasCommands();
  const std::optional<TimePoint> deadline = at_once ? net::Now() : NextDeadline();
  poller_.Clear();
  poller_.Add(waker_->fd(), net::Poller::Interest::kRead);
  for (const auto& entry : links_) entry->link->AddTo(poller_);
  poller_.Wait(deadline);
  if (poller_.readable(0)) waker_->Drain();
  for (const auto& entry : links_) entry->link->AfterWait(poller_, read_buffer_);
  RunTimers();
}

// CallRequest::message_at_deadline.
void Driver::AwaitFarewells() noexcept {
  RunLastCommands();
  for (farewell_end_ = net::Now() + kFarewellGrace; net::Now() < *farewell_end_;) {
    Advance();
    EndBatch();
    ReportSent();
    if (!HasFarewells()) return;
    Wait();
    RunCommands();
  }
}

bool Driver::HasFarewells() {
  return std::any_of(links_.begin(), links_.end(), [](const auto& entry) {
    if (entry->link->dead()) return false;
    const bool says = std::any_of(entry->calls.begin(), entry->calls.end(), [](const auto& call) {
      return call.second->send_closed && call.second->says_farewell;
    });
    return says || entry->link->connection().has_last_messages();
  });
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
  for (const auto& entry : links_) {
    Pump(*entry);
    entry->link->Shutdown();
    Pump(*entry);
  }
  for (const CallPtr& call : std::exchange(replays_, {})) {
    DeliverEnd(call, {.status = ChannelClosed(), .trailers = {}});
  }
  for (const auto& waiting : waits_.TakeAll()) {
    DeliverEnd(waiting.call, {.status = ChannelClosed(), .trailers = {}});
  }
  for (const CallPtr& call : std::exchange(held_, {})) {
    DeliverEnd(call, {.status = ChannelClosed(), .trailers = {}});
  }
  EndBatch();
  links_.Clear();
  sending_.clear();
  alarms_.Clear();
}

void Driver::Begin(LinkEntry& entry, const CallPtr& call) {
  call->started = net::Now();
  call->joined = std::exchange(entry.used, true);
  const CallOptions& options = call->request->options;
  const bool is_repeated =
      options.auto_replay == AutoReplay::kYes || options.wait_for_ready == WaitForReady::kYes;
  Attach(entry, call);
  if (entry.pin_serial != 0 || !is_repeated) call->DropReplay();
  call->observer->OnStart(Call(call));
}

void Driver::Attach(LinkEntry& entry, const CallPtr& call) {
  const TimePoint now = net::Now();
  const auto used = std::chrono::floor<std::chrono::milliseconds>(now - call->started);
  call->link = entry.link.get();
  call->id = entry.link->connection().StartSharedCall(call->request, now, used);
  entry.calls.emplace(call->id, call);
}

AnotherTry Driver::AnotherTryOf(const LinkEntry& entry, const Call::State& call,
                                const absl::Status& status) const {
  if (stopping_ || call.request == nullptr) return AnotherTry::kNone;
  const FailedTry failed = {.link_was_up = entry.was_up,
                            .link_connected = entry.link->connected(),
                            .link_lost = entry.link->lost(),
                            .link_dead = entry.link->dead(),
                            .joined = call.joined,
                            .cancelled = call.cancelled,
                            .replayed = call.replayed,
                            .repeatable = call.replay.whole(),
                            .started = call.started};
  return AnotherTryAfter(failed, call.request->options, status, net::Now());
}

void Driver::WaitForServer(const CallPtr& call, absl::Status why) {
  if (call->cancelled) return DeliverEnd(call, {.status = CancelledByCaller(), .trailers = {}});
  call->link = nullptr;  // nothing may be taken for it while it waits
  const std::chrono::milliseconds timeout = call->request->options.timeout;
  std::optional<TimePoint> deadline;
  if (timeout.count() > 0) deadline = After(call->started, timeout);
  waits_.Add({.call = call, .deadline = deadline, .why = std::move(why)}, net::Now());
}

void Driver::RetryWaiting(TimePoint now) {
  for (const auto& waiting : waits_.TakeDue(now)) {
    if (waiting.deadline && *waiting.deadline <= now) {
      DeliverEnd(waiting.call,
                 {.status = MakeError(absl::StatusCode::kDeadlineExceeded,
                                      absl::StrCat("the call waited for its server longer than ",
                                                   waiting.call->request->options.timeout.count(),
                                                   " ms: ", waiting.why.message()),
                                      {.origin = ErrorOrigin::kLocal, .replay_safe = true}),
                  .trailers = {}});
    } else if (!waiting.call->replay.whole()) {
      DeliverEnd(waiting.call, {.status = waiting.why, .trailers = {}});
    } else {
      Restart(waiting.call);
    }
  }
}

bool Driver::RunReplays() {
  const std::vector<CallPtr> replays = std::exchange(replays_, {});
  for (const CallPtr& call : replays) {
    if (call->cancelled) {
      DeliverEnd(call, {.status = CancelledByCaller(), .trailers = {}});
    } else {
      call->replayed = true;
      Restart(call);
    }
  }
  return !replays.empty();
}

void Driver::Restart(const CallPtr& call) {
  LinkEntry& entry = links_.ForNewCall();
  entry.used = true;
  call->joined = false;
  Attach(entry, call);
  for (const std::string& message : call->replay.messages()) {
    call->unsent_bytes += message.size();
    SendOn(&entry, call, message);
    if (call->ended) return;  // with its messages
  }
  if (call->replay.send_closed()) entry.link->connection().CloseSend(call->id);
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

void Driver::Pump(LinkEntry& entry) {
  DeliverMessages(entry);
  while (std::optional<ConnectionEvent> event = entry.link->connection().PollEvent()) {
    Deliver(entry, *std::move(event));
    DeliverMessages(entry);
  }
}

void Driver::DeliverMessages(LinkEntry& entry) {
  CallPtr call;
  while (const std::optional<CallMessage> message = entry.link->connection().PollMessage()) {
    if (call == nullptr || call->id != message->call) {
      const auto found = entry.calls.find(message->call);
      if (found == entry.calls.end()) continue;
      call = found->second;
    }
    DeliverMessage(call, message->message);
  }
}

void Driver::DeliverMessage(const CallPtr& call, const MessageView& message) {
  if (call->ended) return;
  call->DropReplay();
  call->observer->OnMessage(message);
  if (!std::exchange(call->in_batch, true)) batch_.push_back(call);
}

void Driver::Deliver(LinkEntry& entry, ConnectionEvent event) {
  if (event.call == 0) return DeliverOfConnection(entry, event);
  const auto found = entry.calls.find(event.call);
  if (found == entry.calls.end()) return;
  const CallPtr call = found->second;
  if (auto* end = std::get_if<CallEnd>(&event.what)) {
    entry.calls.erase(found);
    const AnotherTry next = AnotherTryOf(entry, *call, end->status);
    if (next == AnotherTry::kNone) return DeliverEnd(call, std::move(*end));
    if (next == AnotherTry::kWhenReady) return WaitForServer(call, std::move(end->status));
    // Later: it may open a link, while the links are being gone through.
    replays_.push_back(call);
    return;
  }
  if (const auto* message = std::get_if<MessageView>(&event.what)) {
    return DeliverMessage(call, *message);
  }
  call->DropReplay();
  if (auto* head = std::get_if<ResponseHead>(&event.what)) {
    call->observer->OnHead(std::move(*head));
  }
  if (!std::exchange(call->in_batch, true)) batch_.push_back(call);
}

void Driver::DeliverEnd(const CallPtr& call, CallEnd end) {
  alarms_.Remove(call->serial);
  call->DropReplay();
  call->ended = true;
  std::exchange(call->observer, nullptr)->OnEnd(std::move(end));
  if (call->reserves_role) role_.Unreserve();
}

void Driver::DeliverOfConnection(LinkEntry& entry, const ConnectionEvent& event) {
  if (std::holds_alternative<ConnectionUp>(event.what)) {
    entry.was_up = true;
    waits_.Reset();
  }
  if (std::holds_alternative<ConnectionDown>(event.what)) entry.link->OnConnectionDown();
  if (entry.observer == nullptr) return;
  if (const auto* up = std::get_if<ConnectionUp>(&event.what)) {
    entry.observer->OnUp(*up);
  } else if (const auto* goaway = std::get_if<GoAwayReceived>(&event.what)) {
    entry.observer->OnGoAway(*goaway);
  } else if (const auto* down = std::get_if<ConnectionDown>(&event.what)) {
    entry.observer->OnDown(*down);
  }
}

void Driver::EndBatch() {
  ending_.swap(batch_);
  for (const CallPtr& call : ending_) {
    call->in_batch = false;
    if (call->observer != nullptr) call->observer->OnBatchEnd();
  }
  ending_.clear();
}

// The bytes of `message` count as unsent already.
void Driver::SendOn(LinkEntry* entry, const CallPtr& call, std::string_view message) {
  if (entry != nullptr) {
    const absl::Status status = entry->link->connection().Send(call->id, message);
    // kFailedPrecondition: the call has ended, and its CallEnd is on its way.
    if (!status.ok() && !absl::IsFailedPrecondition(status))
      return EndUnsendable(*entry, call, status);
  }
  call->session_bytes += message.size();
  UpdateUnsent(entry, call);
  if (!std::exchange(call->in_sending, true)) sending_.push_back(call);
}

void Driver::EndUnsendable(LinkEntry& entry, const CallPtr& call, const absl::Status& status) {
  entry.calls.erase(call->id);
  entry.link->connection().Cancel(call->id);
  DeliverEnd(call, {.status = status, .trailers = {}});
}

void Driver::UpdateUnsent(LinkEntry* entry, const CallPtr& call) {
  const size_t unsent = entry == nullptr ? 0 : entry->link->connection().unsent_bytes(call->id);
  // The difference may be negative: unsigned numbers wrap around.
  call->unsent_bytes += unsent - call->session_bytes;
  call->session_bytes = unsent;
  // Envelopes are larger than their messages: the mark can be crossed here as well as by a Send().
  if (call->unsent_bytes > kSendHighWater) call->over_high_water = true;
}

void Driver::ReportSent() {
  std::erase_if(sending_, [this](const CallPtr& call) {
    UpdateUnsent(links_.EntryOf(*call), call);
    if (call->unsent_bytes < kSendLowWater && call->over_high_water.exchange(false) &&
        call->observer != nullptr) {
      call->observer->OnWritable();
    }
    if (call->session_bytes > 0) return false;
    call->in_sending = false;
    return true;
  });
}

void Driver::CloseUnwantedLinks() {
  for (const auto& entry : links_) {
    if (entry->wanted() || entry->link->dead()) continue;
    entry->link->Shutdown();
    Pump(*entry);
  }
}

void Driver::RunTimers() {
  const TimePoint now = net::Now();
  for (const auto& entry : links_) entry->link->OnDeadline(now);
  RetryWaiting(now);
  while (const std::optional<CallPtr> call = alarms_.TakeDue(now)) {
    if ((*call)->observer != nullptr) (*call)->observer->OnAlarm(now);
  }
}

std::optional<TimePoint> Driver::NextDeadline() {
  std::optional<TimePoint> next = alarms_.next();
  for (const std::optional<TimePoint>& due :
       {links_.NextDeadline(), waits_.next(), farewell_end_}) {
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

}  // namespace internal
}  // namespace cursorwire::connect
