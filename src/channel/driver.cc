#include "channel/driver.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "net/thread.h"

namespace cursorwire::connect {
namespace {

// One read takes many TLS records at once; it is the driver's, not the connection's.
constexpr size_t kReadBufferBytes = size_t{256} * 1024;

constexpr int kLastCommandRounds = 8;

absl::Status ChannelClosed() {
  return LocalError(absl::StatusCode::kCancelled, "the channel was closed");
}

}  // namespace

ConnectionPin::State::~State() { driver->Unpin(link_serial); }

absl::StatusOr<std::shared_ptr<Driver>> Driver::Start(Url url, ChannelOptions options) {
  absl::StatusOr<std::shared_ptr<net::Waker>> waker = net::Waker::Create();
  if (!waker.ok()) return waker.status();
  std::shared_ptr<Driver> driver(new Driver(std::move(url), std::move(options), *std::move(waker)));
  if (driver->url_.https && !driver->options_.tls.ca_pem.empty()) {
    auto context = TlsContext::Create(driver->options_.tls);
    if (!context.ok()) return context.status();
    driver->tls_context_ = *std::move(context);
  }
  driver->read_buffer_.resize(kReadBufferBytes);
  // The thread shares the driver: it may outlive a channel that is destroyed in a callback.
  const bool started = net::StartThread(driver->thread_, [driver] {
    driver->role_holder_ = std::this_thread::get_id();
    while (driver->Turn()) {
    }
  });
  if (!started) return net::NoThreadError();
  return driver;
}

void Driver::Stop() {
  Post([this] { stopping_ = true; });
  if (!thread_.joinable()) return;
  if (role_holder_ == std::this_thread::get_id()) {
    thread_.detach();  // from within a callback: the thread ends after it
  } else {
    thread_.join();
  }
}

Call Driver::StartCall(const CallRequest& request, std::shared_ptr<CallObserver> observer) {
  auto call = std::make_shared<Call::State>(shared_from_this(), request, std::move(observer));
  call->serial = next_serial_++;
  if (!Post([this, call] { Begin(LinkForNewCall(), call); })) EndUnstarted(call, ChannelClosed());
  return Call(call);
}

std::shared_ptr<ConnectionPin::State> Driver::Pin(std::shared_ptr<ConnectionObserver> observer) {
  auto pin = std::make_shared<ConnectionPin::State>(shared_from_this(), std::move(observer));
  pin->link_serial = next_serial_++;
  const bool posted = Post([this, serial = pin->link_serial, observer = pin->observer] {
    LinkEntry& entry = OpenLink();
    entry.serial = serial;
    entry.observer = observer;
    entry.pinned = true;
  });
  if (!posted) pin->observer->OnDown({.status = ChannelClosed()});
  return pin;
}

Call Driver::StartPinnedCall(const std::shared_ptr<ConnectionPin::State>& pin,
                             const CallRequest& request, std::shared_ptr<CallObserver> observer) {
  auto call = std::make_shared<Call::State>(shared_from_this(), request, std::move(observer));
  call->serial = next_serial_++;
  const bool posted = Post([this, call, serial = pin->link_serial] {
    if (LinkEntry* entry = FindLink(serial)) {
      Begin(*entry, call);
    } else {
      EndUnstarted(call, TransportError("the pinned connection is gone", Replay::kSafe));
    }
  });
  if (!posted) EndUnstarted(call, ChannelClosed());
  return Call(call);
}

void Driver::Unpin(uint64_t link_serial) {
  Post([this, link_serial] {
    if (LinkEntry* entry = FindLink(link_serial)) entry->pinned = false;
  });
}

absl::Status Driver::Send(const CallPtr& call, std::string message) {
  const size_t size = message.size();
  if (size > call->request.options.max_send_bytes) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("message of ", size, " bytes is over the send limit of ",
                                   call->request.options.max_send_bytes, " bytes"));
  }
  if (call->ended || call->send_closed) {
    return LocalError(
        absl::StatusCode::kFailedPrecondition,
        call->ended ? "the call has ended" : "the sending side of the call is closed");
  }
  if (call->request.kind == CallKind::kUnary) call->send_closed = true;
  // Before the command: when that has run, ReportSent() sees the mark.
  if ((call->unsent_bytes += size) > Call::kSendHighWater) call->over_high_water = true;
  Post([this, call, message = std::move(message)] {
    LinkEntry* entry = EntryOf(call);
    // It can only fail because the call ends: CallEnd is on its way.
    if (entry != nullptr) (void)entry->link->connection().Send(call->id, message);
    call->session_bytes += message.size();
    UpdateUnsent(entry, call);
    if (!std::exchange(call->in_sending, true)) sending_.push_back(call);
  });
  return absl::OkStatus();
}

void Driver::CloseSend(const CallPtr& call) {
  if (call->send_closed.exchange(true)) return;
  Post([this, call] {
    if (LinkEntry* entry = EntryOf(call)) entry->link->connection().CloseSend(call->id);
  });
}

void Driver::Cancel(const CallPtr& call) {
  if (call->ended) return;
  Post([this, call] {
    if (LinkEntry* entry = EntryOf(call)) entry->link->connection().Cancel(call->id);
  });
}

void Driver::ReleaseCredit(const CallPtr& call, size_t credit) {
  if (call->ended || credit == 0) return;
  Post([this, call, credit] {
    if (LinkEntry* entry = EntryOf(call)) entry->link->connection().ReleaseCredit(call->id, credit);
  });
}

void Driver::SetAlarm(const CallPtr& call, std::optional<TimePoint> time) {
  if (call->ended) return;
  Post([this, call, time] {
    if (call->ended) return;
    if (time) {
      alarms_.Set(call->serial, *time);
      alarm_calls_.insert_or_assign(call->serial, call);
    } else {
      alarms_.Remove(call->serial);
      alarm_calls_.erase(call->serial);
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
  // The role holder looks at the commands before it waits.
  if (role_holder_ != std::this_thread::get_id()) waker_->Wake();
  return true;
}

bool Driver::RunCommands() {
  std::vector<Command> commands;
  {
    const std::lock_guard lock(mutex_);
    commands.swap(commands_);
  }
  for (const Command& command : commands) command();
  return !commands.empty();
}

bool Driver::HasCommands() {
  const std::lock_guard lock(mutex_);
  return !commands_.empty();
}

// Brings everything up to date, then waits once for the network, a command or a deadline. Commands
// that came in meanwhile, from callbacks too, are the next turn's: they never keep it from reading.
bool Driver::Turn() {
  RunCommands();
  if (stopping_) {
    Shutdown();
    return false;
  }
  for (const auto& entry : links_) {
    entry->link->Advance();
    Pump(*entry);
  }
  EndBatch();
  ReportSent();
  RemoveDeadLinks();
  Wait(HasCommands() ? net::Now() : NextDeadline());
  RunTimers();
  return true;
}

void Driver::Wait(std::optional<TimePoint> deadline) {
  poller_.Clear();
  poller_.Add(waker_->fd(), net::Poller::Interest::kRead);
  for (const auto& entry : links_) entry->link->AddTo(poller_);
  poller_.Wait(deadline);
  if (poller_.readable(0)) waker_->Drain();
  for (const auto& entry : links_) entry->link->AfterWait(poller_, read_buffer_);
}

void Driver::Shutdown() {
  // What was asked for before is done as far as it goes without waiting: commands may post more.
  for (int i = 0; i < kLastCommandRounds && RunCommands(); ++i) {
  }
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  RunCommands();
  for (const auto& entry : links_) {
    entry->link->Shutdown();
    Pump(*entry);
  }
  EndBatch();
  links_.clear();
  sending_.clear();
  alarm_calls_.clear();
}

Driver::LinkEntry& Driver::LinkForNewCall() {
  for (const auto& entry : links_) {
    const bool usable = !entry->link->dead() && entry->link->connection().accepts_calls();
    if (entry->observer == nullptr && usable) return *entry;
  }
  return OpenLink();
}

Driver::LinkEntry& Driver::OpenLink() {
  ConnectionOptions options{.authority = url_.authority(),
                            .security = url_.https ? Security::kTls : Security::kPlaintext,
                            .tls = options_.tls,
                            .tls_context = tls_context_,
                            .user_agent = options_.user_agent,
                            .connect_timeout = options_.connect_timeout,
                            .credit_return = CreditReturn::kManual,
                            .stream_window_bytes = options_.stream_window_bytes};
  if (url_.https && tls_context_ == nullptr) {
    // A failure is the connection's to report: it tries the same again.
    if (auto context = TlsContext::Create(options_.tls); context.ok()) tls_context_ = *context;
    options.tls_context = tls_context_;
  }
  auto entry = std::make_unique<LinkEntry>();
  entry->link = std::make_unique<Link>(url_, std::move(options), waker_, net::Now());
  entry->serial = next_serial_++;
  links_.push_back(std::move(entry));
  return *links_.back();
}

Driver::LinkEntry* Driver::FindLink(uint64_t serial) {
  for (const auto& entry : links_) {
    if (entry->serial == serial) return entry.get();
  }
  return nullptr;
}

Driver::LinkEntry* Driver::EntryOf(const CallPtr& call) {
  if (call->ended) return nullptr;
  for (const auto& entry : links_) {
    if (entry->link.get() == call->link) return entry.get();
  }
  return nullptr;
}

void Driver::Begin(LinkEntry& entry, const CallPtr& call) {
  CallRequest request = call->request;
  request.path = url_.path + request.path;
  call->link = entry.link.get();
  call->id = entry.link->connection().StartCall(request, net::Now());
  entry.calls.emplace(call->id, call);
  call->observer->OnStart(Call(call));
}

void Driver::EndUnstarted(const CallPtr& call, const absl::Status& status) {
  call->ended = true;
  if (const auto observer = std::exchange(call->observer, nullptr)) {
    observer->OnEnd({.status = status, .trailers = {}});
  }
}

void Driver::Pump(LinkEntry& entry) {
  while (std::optional<ConnectionEvent> event = entry.link->connection().PollEvent()) {
    Deliver(entry, *std::move(event));
  }
}

void Driver::Deliver(LinkEntry& entry, ConnectionEvent event) {
  if (event.call == 0) {
    if (std::holds_alternative<ConnectionDown>(event.what)) entry.link->OnConnectionDown();
    if (entry.observer != nullptr) DeliverToPin(entry, event);
    return;
  }
  const auto found = entry.calls.find(event.call);
  if (found == entry.calls.end()) return;
  const CallPtr call = found->second;
  if (auto* end = std::get_if<CallEnd>(&event.what)) {
    entry.calls.erase(found);
    alarms_.Remove(call->serial);
    alarm_calls_.erase(call->serial);
    call->ended = true;
    std::exchange(call->observer, nullptr)->OnEnd(std::move(*end));
    return;
  }
  if (const auto* message = std::get_if<MessageView>(&event.what)) {
    call->observer->OnMessage(*message);
  } else if (auto* head = std::get_if<ResponseHead>(&event.what)) {
    call->observer->OnHead(std::move(*head));
  }
  if (!std::exchange(call->in_batch, true)) batch_.push_back(call);
}

void Driver::DeliverToPin(LinkEntry& entry, const ConnectionEvent& event) {
  if (const auto* up = std::get_if<ConnectionUp>(&event.what)) {
    entry.observer->OnUp(*up);
  } else if (const auto* goaway = std::get_if<GoAwayReceived>(&event.what)) {
    entry.observer->OnGoAway(*goaway);
  } else if (const auto* down = std::get_if<ConnectionDown>(&event.what)) {
    entry.observer->OnDown(*down);
  }
}

void Driver::EndBatch() {
  for (const CallPtr& call : std::exchange(batch_, {})) {
    call->in_batch = false;
    if (call->observer != nullptr) call->observer->OnBatchEnd();
  }
}

void Driver::UpdateUnsent(LinkEntry* entry, const CallPtr& call) {
  const size_t unsent = entry == nullptr ? 0 : entry->link->connection().unsent_bytes(call->id);
  // Of both signs, in the arithmetic of unsigned numbers.
  call->unsent_bytes += unsent - call->session_bytes;
  call->session_bytes = unsent;
  // Envelopes are larger than their messages: the mark can be crossed here as well as by a Send().
  if (call->unsent_bytes > Call::kSendHighWater) call->over_high_water = true;
}

void Driver::ReportSent() {
  std::erase_if(sending_, [this](const CallPtr& call) {
    UpdateUnsent(EntryOf(call), call);
    if (call->unsent_bytes < Call::kSendLowWater && call->over_high_water.exchange(false) &&
        call->observer != nullptr) {
      call->observer->OnWritable();
    }
    if (call->session_bytes > 0) return false;
    call->in_sending = false;
    return true;
  });
}

void Driver::RemoveDeadLinks() {
  for (const auto& entry : links_) {
    const bool wanted = entry->pinned || !entry->calls.empty() ||
                        (entry->observer == nullptr && entry->link->connection().accepts_calls());
    if (!wanted && !entry->link->dead()) {
      entry->link->Shutdown();
      Pump(*entry);
    }
  }
  std::erase_if(links_,
                [](const auto& entry) { return entry->link->dead() && entry->calls.empty(); });
}

void Driver::RunTimers() {
  const TimePoint now = net::Now();
  for (const auto& entry : links_) entry->link->OnDeadline(now);
  while (const std::optional<uint64_t> serial = alarms_.TakeDue(now)) {
    const auto entry = alarm_calls_.find(*serial);
    const CallPtr call = entry->second;
    alarm_calls_.erase(entry);
    if (call->observer != nullptr) call->observer->OnAlarm(now);
  }
}

std::optional<TimePoint> Driver::NextDeadline() {
  std::optional<TimePoint> next = alarms_.next();
  for (const auto& entry : links_) {
    const std::optional<TimePoint> due = entry->link->connection().NextDeadline();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

}  // namespace cursorwire::connect
