#include "cursorwire/connect/connection.h"

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "core/call.h"
#include "core/client_transport.h"
#include "core/connection_phase.h"
#include "core/deadline_messages.h"
#include "core/keepalive.h"
#include "core/request_head.h"
#include "core/timer_queue.h"
#include "h2/session.h"
#include "tls/transport.h"

namespace cursorwire::connect {
namespace {

using core::Call;
using core::EndAction;
using core::EndCause;

// What one look at PendingOutput() takes from the session: more only makes records wait.
constexpr size_t kOutputChunkBytes = size_t{64} * 1024;
// How long a call whose end is known waits for the server to end the HTTP/2 stream as well.
constexpr std::chrono::milliseconds kLinger{1000};
constexpr uint32_t kMaxWindowBytes = 0x7fffffff;  // RFC 9113, 6.9.1
// Keys of the connection's own timers; calls count from 1.
constexpr uint64_t kConnectTimer = 0;
constexpr uint64_t kUnusedTimer = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kKeepaliveTimer = kUnusedTimer - 1;
constexpr uint64_t kFarewellTimer = kUnusedTimer - 2;

h2::SessionOptions SessionOptionsOf(const ConnectionOptions& options) {
  return {.role = h2::Role::kClient, .stream_window = options.http2.stream_window_bytes};
}

}  // namespace

class Connection::Impl final : public h2::SessionVisitor, public core::CallSink {
 public:
  Impl(ConnectionOptions options, TimePoint now)
      : options_(std::move(options)),
        now_(now),
        phase_(options_.authority),
        keepalive_(options_.http2.keepalive.interval, options_.http2.keepalive.timeout),
        session_(SessionOptionsOf(options_), *this) {
    if (options_.http2.connect_timeout.count() > 0) {
      timers_.Set(kConnectTimer, After(now, options_.http2.connect_timeout));
    }
    if (options_.http2.stream_window_bytes == 0 ||
        options_.http2.stream_window_bytes > kMaxWindowBytes) {
      FailAll(LocalError(absl::StatusCode::kInvalidArgument,
                         "http2.stream_window_bytes must be from 1 to 2147483647"));
    } else if (auto transport = core::MakeClientTransport(options_); transport.ok()) {
      transport_ = *std::move(transport);
    } else {
      FailAll(transport.status());
    }
  }

  CallId StartCall(std::shared_ptr<const CallRequest> request, TimePoint now,
                   std::chrono::milliseconds used) {
    now_ = now;
    used = std::max(used, std::chrono::milliseconds(0));
    const CallId id = next_call_++;
    auto made = std::make_unique<Call>(id, std::move(request), now_, used, *this);
    Call& call = *calls_.emplace(id, std::move(made)).first->second;
    WatchConnection();
    if (absl::Status status = core::CheckRequest(call.request()); !status.ok()) {
      FailUnsent(call, status);
    } else if (!AcceptsCalls()) {
      FailUnsent(call, phase_.RefusalStatus());
    } else if (!call.protocol().encodes_first()) {
      OpenOrQueue(call);
    }
    ArmTimer(call);
    OnCallTouched(call);
    return id;
  }

  absl::Status Send(CallId id, std::string_view message) {
    Call* call = Find(id);
    if (call == nullptr || (!call->waits() && call->stream_id() == 0)) {
      return LocalError(absl::StatusCode::kFailedPrecondition, "the call has ended");
    }
    if (call->send_closed()) {
      return LocalError(absl::StatusCode::kFailedPrecondition,
                        "the sending side of the call is closed");
    }
    std::string encoded;
    if (absl::Status status = call->protocol().Encode(message, encoded); !status.ok()) {
      return status;
    }
    if (call->prepared() && !OpenLate(*call)) return absl::OkStatus();
    if (call->waits()) {
      call->unsent().append(encoded);
    } else {
      session_.Write(call->stream_id(), encoded);
    }
    if (call->kind() == CallKind::kUnary) CloseSend(*call);
    if (!call->blocked && UnsentBytes(*call) > kSendHighWater) {
      call->blocked = true;
      blocked_.push_back(id);
    }
    return absl::OkStatus();
  }

  void CloseSend(CallId id) {
    if (Call* call = Find(id)) CloseSend(*call);
  }

  void Cancel(CallId id) {
    Call* call = Find(id);
    if (call == nullptr) return;
    End(*call, EndCause::kCancelled, CancelledByCaller());
  }

  size_t UnsentBytes(CallId id) const {
    const auto entry = calls_.find(id);
    return entry == calls_.end() ? 0 : UnsentBytes(*entry->second);
  }

  void ReleaseCredit(CallId id, size_t credit) {
    Call* call = Find(id);
    if (call == nullptr) return;
    const bool was_paused = IsPaused(*call);
    call->Release(credit, now_, options_.http2.stream_window_bytes);
    ReturnCredit(*call);
    if (was_paused && !IsPaused(*call)) OnCallTouched(*call);
  }

  std::string_view PendingOutput() {
    if (transport_.PendingOutput().empty() && transport_.is_ready() && !phase_.is_closed()) {
      FillOutput();
    }
    return transport_.PendingOutput();
  }

  void ConsumeOutput(size_t bytes) { transport_.ConsumeOutput(bytes); }

  void Receive(std::string_view bytes, TimePoint now) {
    now_ = now;
    if (phase_.is_down()) return;
    if (keepalive_.OnReceived(now)) ArmKeepalive();
    bool any = false;
    const absl::Status status = transport_.Receive(bytes, [this, &any](std::string_view plaintext) {
      any = true;
      phase_.OnReceived(plaintext);
      session_.Feed(plaintext);
    });
    // What decrypted before an error is taken first: it may hold the end of a call.
    if (any) EndReceive();
    if (!status.ok()) return FailAll(status);
    if (transport_.peer_closed()) ReceiveEof(now);
  }

  void ReceiveEof(TimePoint now) {
    now_ = now;
    FailAll(phase_.OnPeerClosed());
  }

  void Fail(const absl::Status& status, TimePoint now) {
    now_ = now;
    FailAll(status);
  }

  void Close() {
    Close(LocalError(absl::StatusCode::kCancelled, "the connection was closed by its owner"));
  }

  std::optional<TimePoint> NextDeadline() const { return timers_.next(); }

  void OnDeadline(TimePoint now) {
    now_ = now;
    while (const std::optional<uint64_t> key = timers_.TakeDue(now)) OnTimer(*key);
  }

  std::optional<ConnectionEvent> PollEvent() {
    if (!events_.empty()) {
      ConnectionEvent event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    while (!touched_.empty()) {
      const CallId id = touched_.front();
      Call* call = Find(id);
      if (call != nullptr && IsPaused(*call)) {
        call->touched = false;
      } else if (call != nullptr) {
        if (std::optional<CallEvent> event = call->protocol().NextEvent()) {
          return HandOut(*call, *std::move(event));
        }
        call->touched = false;
        if (call->open() && call->protocol().saw_end()) Linger(*call);
      }
      touched_.pop_front();
    }
    return std::nullopt;
  }

  std::optional<CallMessage> PollMessage() {
    if (!events_.empty() || touched_.empty()) return std::nullopt;
    Call* call = FindPolled(touched_.front());
    if (call == nullptr || IsPaused(*call)) return std::nullopt;
    std::optional<MessageView> message = call->protocol().NextMessage();
    if (!message) return std::nullopt;
    FinishHandOut(*call, *message);
    return CallMessage{.call = call->id(), .message = *message};
  }

  bool IsUp() const { return phase_.is_up(); }
  bool PeerClosed() const { return phase_.peer_closed(); }
  bool AcceptsCalls() const { return phase_.accepts_calls() && session_.accepts_requests(); }
  bool HasFreeStream() const { return queue_.empty() && session_.has_free_stream(); }
  size_t ActiveCalls() const { return calls_.size(); }
  bool HasLastMessages() const { return deadline_messages_.any_open(); }

  // core::CallSink
  void OnCallReceived(Call& call, size_t data_bytes) override {
    received_bytes_ += data_bytes;
    if (!std::exchange(call.received, true)) received_for_.push_back(call.id());
    OnCallTouched(call);
  }
  void OnCallTouched(Call& call) override {
    if (!std::exchange(call.touched, true)) touched_.push_back(call.id());
  }

  // h2::SessionVisitor
  h2::StreamVisitor* OnStreamOpened(int32_t) override { return nullptr; }  // no server push
  void OnGoAway(h2::GoAway goaway) override {
    phase_.OnGoAway(goaway.http2_code);
    events_.push_back({.what = GoAwayReceived{.last_stream_id = goaway.last_stream_id,
                                              .http2_code = goaway.http2_code,
                                              .debug_data = std::move(goaway.debug_data)}});
  }
  void OnSettings() override {
    if (!phase_.OnSettings()) return;
    timers_.Remove(kConnectTimer);
    WatchConnection();
    events_.push_back({.what = ConnectionUp{.tls_version = std::string(transport_.tls_version())}});
  }

 private:
  Call* Find(CallId id) {
    const auto entry = calls_.find(id);
    return entry == calls_.end() ? nullptr : entry->second.get();
  }

  // Mostly the one that gave the last message.
  Call* FindPolled(CallId id) {
    if (polled_ == nullptr || polled_->id() != id) polled_ = Find(id);
    return polled_;
  }

  bool IsPaused(const Call& call) const {
    return call.IsPaused(options_.http2.stream_window_bytes);
  }

  // For a call whose message is known now; false if its end has come instead, or if the whole
  // request stands in the head.
  bool OpenLate(Call& call) {
    if (AcceptsCalls()) {
      OpenOrQueue(call);
    } else {
      FailUnsent(call, phase_.RefusalStatus());
    }
    OnCallTouched(call);
    return !call.over() && call.protocol().get_query().empty();
  }

  // After those that wait already. They wait here and not in nghttp2, which would keep a request
  // whose call was given up.
  void OpenOrQueue(Call& call) {
    if (queue_.empty() && session_.has_free_stream()) return OpenStream(call);
    call.Queue(now_, options_.http2.stream_timeout);
    queue_.insert(call.id());
    ArmTimer(call);
  }

  void OpenQueued() {
    while (!queue_.empty() && (session_.has_free_stream() || !AcceptsCalls())) {
      Call& call = *Find(*queue_.begin());
      queue_.erase(queue_.begin());
      if (AcceptsCalls()) {
        OpenStream(call);
      } else {
        FailUnsent(call, phase_.RefusalStatus());
      }
    }
  }

  void OpenStream(Call& call) {
    const absl::StatusOr<int32_t> stream_id = SubmitRequest(call);
    if (!stream_id.ok()) return FailUnsent(call, stream_id.status());
    call.Open(*stream_id);
    call.DropRequest();
    if (!call.unsent().empty()) session_.Write(*stream_id, std::exchange(call.unsent(), {}));
    if (!call.protocol().get_query().empty()) call.set_send_closed();
    if (call.send_closed()) session_.FinishWrite(*stream_id);
  }

  absl::StatusOr<int32_t> SubmitRequest(Call& call) {
    const auto headers = core::MakeRequestHead(call.request(), call.protocol(), options_);
    if (!headers.ok()) return headers.status();
    const bool is_get = !call.protocol().get_query().empty();
    return session_.SubmitRequest(*headers, is_get ? h2::EndStream::kYes : h2::EndStream::kNo,
                                  call);
  }

  void CloseSend(Call& call) {
    if (call.send_closed()) return;
    if (call.prepared()) {
      return FailUnsent(call, LocalError(absl::StatusCode::kFailedPrecondition,
                                         "the call was half-closed before its message was sent"));
    }
    call.set_send_closed();
    if (call.stream_id() != 0) session_.FinishWrite(call.stream_id());
  }

  // A call that was never given to HTTP/2.
  void FailUnsent(Call& call, const absl::Status& status) {
    call.End(EndAction::kFinish, status);
    OnCallTouched(call);
  }

  // Each end of a call that may have been sent, other than by its response.
  void End(Call& call, EndCause cause, const absl::Status& status) {
    const EndAction action =
        core::ActionAt(call.PhaseAt(options_.http2.stream_window_bytes), cause);
    if (!call.End(action, WithReplay(status, ReplayOf(call)))) return;
    queue_.erase(call.id());
    if (cause == EndCause::kDeadline) SayFarewell(call);
    if (!deadline_messages_.contains(call)) ResetStream(call);
    OnCallTouched(call);
  }

  // CallRequest::message_at_deadline.
  void SayFarewell(Call& call) {
    if (phase_.is_down() || !deadline_messages_.Say(call, now_ + kLinger)) return;
    timers_.Set(kFarewellTimer, *deadline_messages_.next());
  }

  size_t UnsentBytes(const Call& call) const {
    return call.waits() ? call.unsent().size() : session_.unsent_bytes(call.stream_id());
  }

  void ResetStream(Call& call) {
    if (call.stream_id() != 0) session_.Reset(call.stream_id(), h2::kCancel);
  }

  void FillOutput() {
    OpenQueued();
    if (!session_.WantsOutput()) return;
    session_output_.clear();
    absl::Status status = session_.TakeOutput(kOutputChunkBytes, session_output_);
    // Also after an error: it is the GOAWAY that tells the peer.
    if (!session_output_.empty()) {
      if (!calls_.empty()) phase_.OnRequestSent();
      status.Update(transport_.Write(session_output_));
    }
    if (!status.ok()) return FailAll(status);
    ReportWritable();
  }

  void ReportWritable() {
    std::erase_if(blocked_, [this](CallId id) {
      Call* call = Find(id);
      if (call == nullptr) return true;
      if (UnsentBytes(*call) >= kSendLowWater) return false;
      call->blocked = false;
      events_.push_back({.call = id, .what = Writable{}});
      return true;
    });
  }

  // Once for all that one read brought.
  void EndReceive() {
    const absl::Status status = session_.EndFeed();
    for (const CallId id : received_for_) {
      if (Call* call = Find(id)) TookBytes(*call);
    }
    received_for_.clear();
    if (phase_.is_leaving()) RefuseUnsentCalls();
    // On receipt, so that one slow reader stops no other call.
    session_.ConsumeConnection(std::exchange(received_bytes_, 0));
    if (!status.ok()) FailAll(phase_.BrokenStatus(status));
  }

  void TookBytes(Call& call) {
    call.received = false;
    call.OnActivity(now_);
    ReturnCredit(call);
  }

  void ReturnCredit(Call& call) {
    const size_t credit = call.TakeCreditDue();
    if (credit > 0 && call.stream_id() != 0) session_.ConsumeStream(call.stream_id(), credit);
  }

  // A server cannot have acted on what was never sent.
  Replay ReplayOf(const Call& call) const {
    if (call.waits()) return Replay::kSafe;
    const bool sent = call.stream_id() == 0 || session_.request_sent(call.stream_id());
    return sent ? Replay::kUnsafe : Replay::kSafe;
  }

  void FailAll(const absl::Status& status) {
    if (!phase_.GoDown(status)) return;
    timers_.Remove(kConnectTimer);
    WatchConnection();
    for (auto& [id, call] : calls_) {
      End(*call, EndCause::kLost, status);
      // Nothing of a request may leave any more: its call may be made again elsewhere.
      ResetStream(*call);
      OnCallTouched(*call);
    }
    timers_.Remove(kFarewellTimer);
    deadline_messages_.Clear();
    events_.push_back({.what = ConnectionDown{.status = phase_.down_status()}});
  }

  // GOAWAY, and close_notify. Calls of a connection that is down may still wait for their users.
  void Close(const absl::Status& status) {
    for (auto& [id, call] : calls_) End(*call, EndCause::kClosed, status);
    if (phase_.is_down()) return;
    if (transport_.is_ready()) {
      session_.SendGoAway(h2::kNoError, "");
      FillOutput();
      transport_.Close();
    }
    FailAll(status);
    phase_.OnClosed();
  }

  // Calls that still wait to be sent would wait for those that go on, only to be refused then.
  void RefuseUnsentCalls() {
    for (auto& [id, call] : calls_) {
      if (ReplayOf(*call) == Replay::kSafe) End(*call, EndCause::kRefused, phase_.RefusalStatus());
    }
  }

  void OnTimer(uint64_t key) {
    if (key == kConnectTimer) {
      FailAll(MakeError(absl::StatusCode::kDeadlineExceeded,
                        absl::StrCat("connecting to ", options_.authority, " took longer than ",
                                     options_.http2.connect_timeout.count(), " ms"),
                        {.origin = ErrorOrigin::kLocal}));
    } else if (key == kUnusedTimer) {
      Close(TransportError(absl::StrCat("the connection was closed: it had no calls for ",
                                        options_.http2.unused_timeout.count(), " ms"),
                           Replay::kSafe));
    } else if (key == kKeepaliveTimer) {
      OnKeepaliveDeadline();
    } else if (key == kFarewellTimer) {
      OnFarewellDeadline();
    } else if (Call* call = Find(key)) {
      OnCallDeadline(*call);
    }
  }

  void OnFarewellDeadline() {
    deadline_messages_.OnDeadline(now_);
    if (const std::optional<TimePoint> next = deadline_messages_.next())
      timers_.Set(kFarewellTimer, *next);
    WatchConnection();
  }

  void OnKeepaliveDeadline() {
    const core::Keepalive::Verdict verdict = keepalive_.Check(now_);
    if (verdict == core::Keepalive::Verdict::kPing) session_.Ping();
    if (verdict == core::Keepalive::Verdict::kDead) {
      return FailAll(
          TransportError(absl::StrCat("the server is gone: nothing came from it for ",
                                      options_.http2.keepalive.timeout.count(), " ms after a PING"),
                         Replay::kUnsafe));
    }
    ArmKeepalive();
  }

  void ArmKeepalive() {
    const std::optional<TimePoint> next = keepalive_.NextDeadline();
    if (next) timers_.Set(kKeepaliveTimer, *next);
  }

  // After calls or the connection came or went: whether silence is watched, and idleness counts.
  void WatchConnection() {
    if (phase_.is_up() &&
        (!calls_.empty() || options_.http2.keepalive.when == KeepaliveWhen::kAlways)) {
      keepalive_.Start(now_);
      ArmKeepalive();
    } else {
      keepalive_.Stop();
      timers_.Remove(kKeepaliveTimer);
    }
    const bool idle = calls_.empty() && deadline_messages_.empty();
    if (phase_.is_up() && idle && options_.http2.unused_timeout.count() > 0) {
      timers_.Set(kUnusedTimer, After(now_, options_.http2.unused_timeout));
    } else {
      timers_.Remove(kUnusedTimer);
    }
  }

  void ArmTimer(Call& call) {
    if (const std::optional<TimePoint> next = call.NextDeadline()) timers_.Set(call.id(), *next);
  }

  void OnCallDeadline(Call& call) {
    const absl::Status status = call.CheckDeadlines(now_, options_.http2.stream_window_bytes);
    const bool linger_over = call.lingering() && call.LingerOver(now_);
    if (!status.ok()) {
      End(call, EndCause::kDeadline, status);
    } else if (linger_over) {
      End(call, EndCause::kLingerOver, status);
    } else {
      ArmTimer(call);
    }
  }

  // The protocol says that the call is over: end our side, and give the server a moment to end its.
  void Linger(Call& call) {
    if (session_.unsent_bytes(call.stream_id()) > 0) {
      ResetStream(call);  // the server answered without wanting the rest
    } else {
      CloseSend(call);
    }
    call.StartLinger(now_ + kLinger);
    ArmTimer(call);
  }

  // The call is over, its stream may not be: after an error of ours, an end that came before the
  // server's, or while our own half-close waits to be sent.
  void RetireStream(Call& call) {
    if (call.stream_id() == 0) return;
    if (deadline_messages_.contains(call)) {
      // Its timer ends it.
    } else if (call.remote_ended() && session_.unsent_bytes(call.stream_id()) == 0) {
      CloseSend(call);
    } else {
      ResetStream(call);
    }
    session_.Detach(call.stream_id());
  }

  void FinishHandOut(Call& call, MessageView& message) {
    call.OnHandOut(message);
    if (options_.credit_return == CreditReturn::kOnPoll) {
      ReleaseCredit(call.id(), std::exchange(message.credit, 0));
    }
    // A deadline that has passed since the response was complete ends what is paused.
    if (IsPaused(call)) ArmTimer(call);
  }

  ConnectionEvent HandOut(Call& call, CallEvent event) {
    const CallId id = call.id();
    if (auto* message = std::get_if<MessageView>(&event)) {
      FinishHandOut(call, *message);
      return {.call = id, .what = *message};
    }
    if (auto* head = std::get_if<ResponseHead>(&event)) return {.call = id, .what = *head};
    RetireStream(call);
    timers_.Remove(id);
    if (polled_ == &call) polled_ = nullptr;
    calls_.erase(id);
    WatchConnection();
    return {.call = id, .what = std::get<CallEnd>(std::move(event))};
  }

  ConnectionOptions options_;
  TimePoint now_;
  core::ConnectionPhase phase_;
  tls::Transport transport_;
  std::string session_output_;  // scratch of FillOutput()

  CallId next_call_ = 1;
  absl::flat_hash_map<CallId, std::unique_ptr<Call>> calls_;
  Call* polled_ = nullptr;            // gave the last message
  std::deque<CallId> touched_;        // have something to pull
  std::vector<CallId> received_for_;  // of the running Receive()
  size_t received_bytes_ = 0;         // the same
  absl::btree_set<CallId> queue_;     // wait for a free stream, the oldest first
  std::vector<CallId> blocked_;       // wait for Writable
  std::deque<ConnectionEvent> events_;
  core::TimerQueue timers_;
  core::Keepalive keepalive_;

  h2::Session session_;  // below its visitors
  core::DeadlineMessages deadline_messages_{session_};
};

Connection::Connection(ConnectionOptions options, TimePoint now)
    : impl_(std::make_unique<Impl>(std::move(options), now)) {}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

CallId Connection::StartCall(const CallRequest& request, TimePoint now,
                             std::chrono::milliseconds used) {
  return impl_->StartCall(std::make_shared<const CallRequest>(request), now, used);
}
CallId Connection::StartSharedCall(std::shared_ptr<const CallRequest> request, TimePoint now,
                                   std::chrono::milliseconds used) {
  return impl_->StartCall(std::move(request), now, used);
}
absl::Status Connection::Send(CallId call, std::string_view message) {
  return impl_->Send(call, message);
}
void Connection::CloseSend(CallId call) { impl_->CloseSend(call); }
void Connection::Cancel(CallId call) { impl_->Cancel(call); }
size_t Connection::unsent_bytes(CallId call) const { return impl_->UnsentBytes(call); }
void Connection::ReleaseCredit(CallId call, size_t credit) { impl_->ReleaseCredit(call, credit); }
std::string_view Connection::PendingOutput() { return impl_->PendingOutput(); }
void Connection::ConsumeOutput(size_t bytes) { impl_->ConsumeOutput(bytes); }
void Connection::Receive(std::string_view bytes, TimePoint now) { impl_->Receive(bytes, now); }
void Connection::ReceiveEof(TimePoint now) { impl_->ReceiveEof(now); }
void Connection::Fail(const absl::Status& status, TimePoint now) { impl_->Fail(status, now); }
void Connection::Close() { impl_->Close(); }
std::optional<TimePoint> Connection::NextDeadline() const { return impl_->NextDeadline(); }
void Connection::OnDeadline(TimePoint now) { impl_->OnDeadline(now); }
std::optional<ConnectionEvent> Connection::PollEvent() { return impl_->PollEvent(); }
std::optional<CallMessage> Connection::PollMessage() { return impl_->PollMessage(); }
bool Connection::is_up() const { return impl_->IsUp(); }
bool Connection::peer_closed() const { return impl_->PeerClosed(); }
bool Connection::accepts_calls() const { return impl_->AcceptsCalls(); }
bool Connection::has_free_stream() const { return impl_->HasFreeStream(); }
size_t Connection::active_calls() const { return impl_->ActiveCalls(); }
bool Connection::has_last_messages() const { return impl_->HasLastMessages(); }

}  // namespace cursorwire::connect
