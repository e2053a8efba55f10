#include "core/call.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "rpc/http_status.h"

namespace cursorwire::core {

using std::chrono::milliseconds;

namespace {

// What a message counts at least of the window, since a user who keeps it needs about as much: an
// empty one is five bytes of the server.
constexpr size_t kMinMessageCredit = 256;

// What the protocol of a call needs of its request: without the headers, which it would keep, and
// with the timeout as the server is told: at least 1 ms, since 0 would be no limit.
connect::CallRequest ForProtocol(const connect::CallRequest& request, milliseconds used) {
  connect::CallRequest result{
      .path = request.path, .kind = request.kind, .options = request.options};
  result.options.headers = connect::Headers();
  milliseconds& timeout = result.options.timeout;
  if (timeout.count() > 0) timeout = std::max(timeout - used, milliseconds(1));
  return result;
}

absl::Status DeadlineError(std::string_view what, std::chrono::milliseconds limit) {
  return LocalError(absl::StatusCode::kDeadlineExceeded,
                    absl::StrCat(std::string(what), " ", limit.count(), " ms"));
}

}  // namespace

Call::Call(connect::CallId id, std::shared_ptr<const connect::CallRequest> request, TimePoint now,
           std::chrono::milliseconds used, CallSink& sink)
    : id_(id),
      kind_(request->kind),
      timeout_(request->options.timeout),
      idle_timeout_(request->options.idle_timeout),
      message_at_deadline_(request->message_at_deadline),
      request_(std::move(request)),
      protocol_(rpc::MakeProtocolCall(ForProtocol(*request_, used))),
      sink_(sink),
      last_activity_(now) {
  if (timeout_.count() > 0) {
    deadline_ = connect::After(now, std::max(timeout_ - used, milliseconds(0)));
  }
}

CallPhase Call::PhaseAt(size_t window) const {
  switch (stage_) {
    case Stage::kPrepared:
      return CallPhase::kPrepared;
    case Stage::kQueued:
      return CallPhase::kQueued;
    case Stage::kOpen:
      return IsPaused(window) ? CallPhase::kPaused : CallPhase::kOpen;
    case Stage::kLingering:
      return CallPhase::kLingering;
    case Stage::kComplete:
      return IsPaused(window) ? CallPhase::kCompletePaused : CallPhase::kComplete;
    case Stage::kDropped:
      return CallPhase::kDropped;
  }
  return CallPhase::kDropped;
}

void Call::Queue(TimePoint now, milliseconds timeout) {
  stage_ = Stage::kQueued;
  stream_timeout_ = timeout;
  if (timeout.count() > 0) stream_deadline_ = connect::After(now, timeout);
}

void Call::Open(int32_t stream_id) {
  stage_ = Stage::kOpen;
  stream_deadline_.reset();
  stream_id_ = stream_id;
}

bool Call::End(EndAction action, const absl::Status& status) {
  switch (action) {
    case EndAction::kIgnore:
      return false;
    case EndAction::kFinish:
      protocol_->Fail(status);
      Complete();
      break;
    case EndAction::kDrop:
      protocol_->Abandon(status);
      linger_until_.reset();
      stage_ = Stage::kDropped;
      break;
  }
  unsent_ = std::string();
  return true;
}

void Call::Complete() {
  linger_until_.reset();
  if (stage_ != Stage::kDropped) stage_ = Stage::kComplete;
}

void Call::StartLinger(TimePoint until) {
  stage_ = Stage::kLingering;
  linger_until_ = until;
}

void Call::Release(size_t credit, TimePoint now, size_t window) {
  const bool was_waiting_for_user = held_bytes_ >= window / 2;
  held_bytes_ -= std::min(credit, held_bytes_);
  handed_out_bytes_ -= std::min(credit, handed_out_bytes_);
  if (was_waiting_for_user && held_bytes_ < window / 2) last_activity_ = now;
}

void Call::OnHandOut(connect::MessageView& message) {
  size_t growth = protocol_->get_growth();
  if (message.credit > 0 && message.credit < kMinMessageCredit) {
    growth += kMinMessageCredit - std::exchange(message.credit, kMinMessageCredit);
  }
  held_bytes_ += growth;
  handed_out_bytes_ += message.credit;
  grows_ = grows_ || growth > 0;
}

size_t Call::TakeCreditDue() {
  const uint64_t target = received_bytes_ - std::min<uint64_t>(held_bytes_, received_bytes_);
  if (target <= credited_bytes_) return 0;
  return static_cast<size_t>(target - std::exchange(credited_bytes_, target));
}

std::optional<connect::TimePoint> Call::NextDeadline() const {
  std::optional<TimePoint> next = linger_until_;
  const auto consider = [&next](TimePoint time) {
    if (!next || time < *next) next = time;
  };
  if (deadline_) consider(*deadline_);
  if (stream_deadline_) consider(*stream_deadline_);
  if (idle_timeout_.count() > 0) {
    consider(connect::After(last_activity_, idle_timeout_));
  }
  return next;
}

absl::Status Call::CheckDeadlines(TimePoint now, size_t window) {
  if (deadline_ && *deadline_ <= now) {
    return DeadlineError("the call took longer than", timeout_);
  }
  if (stream_deadline_ && *stream_deadline_ <= now) {
    return LocalError(absl::StatusCode::kUnavailable,
                      absl::StrCat("the server takes no more calls at a time; this one has waited ",
                                   stream_timeout_.count(), " ms for another to end"));
  }
  if (idle_timeout_.count() > 0 && connect::After(last_activity_, idle_timeout_) <= now) {
    if (held_bytes_ < window / 2) return DeadlineError("nothing was received for", idle_timeout_);
    last_activity_ = now;
  }
  return absl::OkStatus();
}

void Call::OnHeaders(h2::Headers headers) {
  if (stage_ == Stage::kDropped) return;
  if (std::exchange(head_seen_, true)) {
    http_trailers_ = std::move(headers);
  } else {
    const int status = rpc::HttpStatus(headers);
    protocol_->OnHeaders(status, std::move(headers));
  }
  sink_.OnCallReceived(*this, 0);
}

void Call::OnData(std::string_view bytes) {
  received_bytes_ += bytes.size();
  if (stage_ != Stage::kDropped) held_bytes_ += protocol_->OnBody(bytes);
  sink_.OnCallReceived(*this, bytes.size());
}

void Call::OnRemoteEnd() {
  remote_ended_ = true;
  protocol_->OnEnd(std::move(http_trailers_));
  Complete();
  sink_.OnCallReceived(*this, 0);
}

void Call::OnClosed(const h2::StreamClose& close) {
  stream_id_ = 0;
  if (!remote_ended_) {
    protocol_->Fail(StatusOfClose(close, head_seen_ ? Answered::kYes : Answered::kNo));
    Complete();
  }
  sink_.OnCallTouched(*this);
}

absl::Status StatusOfClose(const h2::StreamClose& close, Answered answered) {
  if (close.header_limit) {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     "the response headers are over the limit",
                     {.origin = connect::ErrorOrigin::kProtocol, .http2_code = close.http2_code});
  }
  if (close.by_peer) {
    const absl::Status status = rpc::StatusFromReset(close.http2_code);
    return answered == Answered::kYes ? WithReplay(status, Replay::kUnsafe) : status;
  }
  if (close.unsent || close.http2_code == h2::kRefusedStream) {
    return MakeError(absl::StatusCode::kUnavailable,
                     "the server is shutting the connection down and did not process the call",
                     {.origin = connect::ErrorOrigin::kTransport,
                      .replay_safe = answered == Answered::kNo,
                      .http2_code = h2::kRefusedStream});
  }
  return MakeError(absl::StatusCode::kInternal, "the response breaks HTTP/2",
                   {.origin = connect::ErrorOrigin::kProtocol, .http2_code = close.http2_code});
}

}  // namespace cursorwire::core
