#include "channel/loop/link_loop.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "channel/loop/intercepted_call.h"

namespace cursorwire::connect::internal {
namespace {

// One read takes many TLS records at once; it is the loop's, not the connection's.
constexpr size_t kReadBufferBytes = size_t{256} * 1024;

// How long the destructor of a channel waits for the server to act on last messages.
constexpr std::chrono::milliseconds kFarewellGrace{500};

}  // namespace

absl::Status LinkLoop::Prepare() {
  read_buffer_.resize(kReadBufferBytes);
  return links_.Prepare();
}

// --- what commands do

void LinkLoop::Start(const CallPtr& call) { Begin(links_.ForNewCall(), call); }

bool LinkLoop::StartPinned(uint64_t pin_serial, const CallPtr& call) {
  LinkEntry* entry = links_.FindPinned(pin_serial);
  if (entry != nullptr) Begin(*entry, call);
  return entry != nullptr;
}

void LinkLoop::Unpin(uint64_t pin_serial) {
  if (LinkEntry* entry = links_.FindPinned(pin_serial)) entry->pinned = false;
}

void LinkLoop::Hold(const CallPtr& call) {
  held_.push_back(call);
  call->observer->OnStart(Call(call));
}

void LinkLoop::Send(const CallPtr& call, std::string message) {
  if (call->intercepted != nullptr && !call->ended) call->intercepted->OnSend(message);
  SendOn(links_.EntryOf(*call), call, message);
  if (!call->ended) call->replay.AddMessage(std::move(message));
}

void LinkLoop::CloseSend(const CallPtr& call) {
  call->replay.AddCloseSend();
  if (LinkEntry* entry = links_.EntryOf(*call)) entry->link->connection().CloseSend(call->id);
}

void LinkLoop::Cancel(const CallPtr& call) {
  if (waits_.Remove(call) || std::erase(held_, call) > 0) {
    return EndWith(call, CancelledByCaller());
  }
  if (LinkEntry* entry = links_.EntryOf(*call)) entry->link->connection().Cancel(call->id);
}

void LinkLoop::ReleaseCredit(const CallPtr& call) {
  const size_t released = call->released_credit.exchange(0);
  LinkEntry* entry = links_.EntryOf(*call);
  if (entry != nullptr) entry->link->connection().ReleaseCredit(call->id, released);
}

void LinkLoop::SetAlarm(const CallPtr& call, std::optional<TimePoint> time) {
  if (call->ended) return;
  if (time) {
    alarms_.Set(call->serial, call, *time);
  } else {
    alarms_.Remove(call->serial);
  }
}

// --- the turns

void LinkLoop::Work() {
  Advance();
  if (RunReplays()) replayed_ = true;
  EndBatch();
  ReportSent();
  CloseUnwantedLinks();
  links_.RemoveDead();
}

void LinkLoop::Wait(bool has_commands) {
  const bool at_once = std::exchange(replayed_, false) || has_commands;
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
bool LinkLoop::SayFarewells() {
  if (!farewell_end_) farewell_end_ = net::Now() + kFarewellGrace;
  if (net::Now() >= *farewell_end_) return false;
  Advance();
  EndBatch();
  ReportSent();
  return HasFarewells();
}

void LinkLoop::Shutdown(const absl::Status& why) {
  for (const auto& entry : links_) {
    Pump(*entry);
    entry->link->Shutdown();
    Pump(*entry);
  }
  for (const CallPtr& call : std::exchange(replays_, {})) EndWith(call, why);
  for (const auto& waiting : waits_.TakeAll()) EndWith(waiting.call, why);
  for (const CallPtr& call : std::exchange(held_, {})) EndWith(call, why);
  EndBatch();
  links_.Clear();
  sending_.clear();
  alarms_.Clear();
}

void LinkLoop::Advance() {
  for (const auto& entry : links_) {
    entry->link->Advance(net::Now());
    Pump(*entry);
  }
}

bool LinkLoop::HasFarewells() {
  return std::any_of(links_.begin(), links_.end(), [](const auto& entry) {
    if (entry->link->dead()) return false;
    const bool says = std::any_of(entry->calls.begin(), entry->calls.end(), [](const auto& call) {
      return call.second->send_closed && call.second->says_farewell;
    });
    return says || entry->link->connection().has_last_messages();
  });
}

void LinkLoop::CloseUnwantedLinks() {
  for (const auto& entry : links_) {
    if (entry->wanted() || entry->link->dead()) continue;
    entry->link->Shutdown();
    Pump(*entry);
  }
}

void LinkLoop::RunTimers() {
  const TimePoint now = net::Now();
  for (const auto& entry : links_) entry->link->OnDeadline(now);
  RetryWaiting(now);
  while (const std::optional<CallPtr> call = alarms_.TakeDue(now)) {
    if ((*call)->observer != nullptr) (*call)->observer->OnAlarm(now);
  }
}

std::optional<TimePoint> LinkLoop::NextDeadline() {
  std::optional<TimePoint> next = alarms_.next();
  for (const std::optional<TimePoint>& due :
       {links_.NextDeadline(), waits_.next(), farewell_end_}) {
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

// --- where calls begin, and begin again

void LinkLoop::Begin(LinkEntry& entry, const CallPtr& call) {
  call->started = net::Now();
  call->joined = std::exchange(entry.used, true);
  const CallOptions& options = call->request->options;
  const bool is_repeated =
      options.auto_replay == AutoReplay::kYes || options.wait_for_ready == WaitForReady::kYes;
  Attach(entry, call);
  if (entry.pin_serial != 0 || !is_repeated) call->DropReplay();
  call->observer->OnStart(Call(call));
}

void LinkLoop::Attach(LinkEntry& entry, const CallPtr& call) {
  const TimePoint now = net::Now();
  const auto used = std::chrono::floor<std::chrono::milliseconds>(now - call->started);
  call->link = entry.link.get();
  call->id = entry.link->connection().StartSharedCall(call->request, now, used);
  entry.calls.emplace(call->id, call);
}

RetryDecision LinkLoop::AnotherTryOf(const LinkEntry& entry, const Call::State& call,
                                     const absl::Status& status) const {
  if (stopping_ || call.request == nullptr) return RetryDecision::kNone;
  const FailedTry failed = {.link_was_up = entry.was_up,
                            .link_connected = entry.link->connected(),
                            .link_lost = entry.link->lost(),
                            .link_dead = entry.link->dead(),
                            .joined = call.joined,
                            .cancelled = call.cancelled,
                            .replayed = call.replayed,
                            .repeatable = call.replay.whole(),
                            .started = call.started};
  return DecideRetry(failed, call.request->options, status, net::Now());
}

void LinkLoop::WaitForServer(const CallPtr& call, absl::Status why) {
  if (call->cancelled) return EndWith(call, CancelledByCaller());
  call->link = nullptr;  // nothing may be taken for it while it waits
  const std::chrono::milliseconds timeout = call->request->options.timeout;
  std::optional<TimePoint> deadline;
  if (timeout.count() > 0) deadline = After(call->started, timeout);
  waits_.Add({.call = call, .deadline = deadline, .why = std::move(why)}, net::Now());
}

void LinkLoop::RetryWaiting(TimePoint now) {
  for (const auto& waiting : waits_.TakeDue(now)) {
    if (waiting.deadline && *waiting.deadline <= now) {
      EndWith(waiting.call, MakeError(absl::StatusCode::kDeadlineExceeded,
                                      absl::StrCat("the call waited for its server longer than ",
                                                   waiting.call->request->options.timeout.count(),
                                                   " ms: ", waiting.why.message()),
                                      {.origin = ErrorOrigin::kLocal, .replay_safe = true}));
    } else if (!waiting.call->replay.whole()) {
      EndWith(waiting.call, waiting.why);
    } else {
      Restart(waiting.call);
    }
  }
}

bool LinkLoop::RunReplays() {
  const std::vector<CallPtr> replays = std::exchange(replays_, {});
  for (const CallPtr& call : replays) {
    if (call->cancelled) {
      EndWith(call, CancelledByCaller());
    } else {
      call->replayed = true;
      Restart(call);
    }
  }
  return !replays.empty();
}

void LinkLoop::Restart(const CallPtr& call) {
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

// --- what comes

void LinkLoop::Pump(LinkEntry& entry) {
  DeliverMessages(entry);
  while (std::optional<ConnectionEvent> event = entry.link->connection().PollEvent()) {
    Deliver(entry, *std::move(event));
    DeliverMessages(entry);
  }
}

void LinkLoop::DeliverMessages(LinkEntry& entry) {
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

void LinkLoop::DeliverMessage(const CallPtr& call, const MessageView& message) {
  if (call->ended) return;
  call->DropReplay();
  call->observer->OnMessage(message);
  if (!std::exchange(call->in_batch, true)) batch_.push_back(call);
}

void LinkLoop::Deliver(LinkEntry& entry, ConnectionEvent event) {
  if (event.call == 0) return DeliverOfConnection(entry, event);
  const auto found = entry.calls.find(event.call);
  if (found == entry.calls.end()) return;
  const CallPtr call = found->second;
  if (auto* end = std::get_if<CallEnd>(&event.what)) {
    entry.calls.erase(found);
    const RetryDecision next = AnotherTryOf(entry, *call, end->status);
    if (next == RetryDecision::kNone) return DeliverEnd(call, std::move(*end));
    if (next == RetryDecision::kWhenReady) return WaitForServer(call, std::move(end->status));
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

void LinkLoop::DeliverEnd(const CallPtr& call, CallEnd end) {
  alarms_.Remove(call->serial);
  call->DropReplay();
  call->ended = true;
  std::exchange(call->observer, nullptr)->OnEnd(std::move(end));
  if (call->reserves_role) role_.Unreserve();
}

void LinkLoop::EndWith(const CallPtr& call, const absl::Status& status) {
  DeliverEnd(call, {.status = status, .trailers = {}});
}

void LinkLoop::DeliverOfConnection(LinkEntry& entry, const ConnectionEvent& event) {
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

void LinkLoop::EndBatch() {
  ending_.swap(batch_);
  for (const CallPtr& call : ending_) {
    call->in_batch = false;
    if (call->observer != nullptr) call->observer->OnBatchEnd();
  }
  ending_.clear();
}

// --- what goes

// The bytes of `message` count as unsent already.
void LinkLoop::SendOn(LinkEntry* entry, const CallPtr& call, std::string_view message) {
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

void LinkLoop::EndUnsendable(LinkEntry& entry, const CallPtr& call, const absl::Status& status) {
  entry.calls.erase(call->id);
  entry.link->connection().Cancel(call->id);
  EndWith(call, status);
}

void LinkLoop::UpdateUnsent(LinkEntry* entry, const CallPtr& call) {
  const size_t unsent = entry == nullptr ? 0 : entry->link->connection().unsent_bytes(call->id);
  // The difference may be negative: unsigned numbers wrap around.
  call->unsent_bytes += unsent - call->session_bytes;
  call->session_bytes = unsent;
  // Envelopes are larger than their messages: the mark can be crossed here as well as by a Send().
  if (call->unsent_bytes > kSendHighWater) call->over_high_water = true;
}

void LinkLoop::ReportSent() {
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

}  // namespace cursorwire::connect::internal
