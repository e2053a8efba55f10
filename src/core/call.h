#ifndef CURSORWIRE_SRC_CORE_CALL_H_
#define CURSORWIRE_SRC_CORE_CALL_H_

#include <absl/status/status.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/call_phase.h"
#include "cursorwire/connect/connection.h"
#include "h2/session.h"
#include "rpc/protocol_call.h"

namespace cursorwire::core {

// Told of calls that may have something to pull; implemented by the connection.
class CallSink {
 public:
  // The peer sent something for the call, DATA of `data_bytes` among it.
  virtual void OnCallReceived(class Call& call, size_t data_bytes) = 0;
  // The call changed otherwise.
  virtual void OnCallTouched(Call& call) = 0;

 protected:
  ~CallSink() = default;
};

// One call on one HTTP/2 stream: joins the protocol of the call to the stream, keeps its deadlines
// and the account of its credit. Driven by Connection alone. Thread-compatible.
class Call final : public h2::StreamVisitor {
 public:
  using TimePoint = connect::TimePoint;

  // `used` is what a former attempt took of the call's timeout.
  Call(connect::CallId id, std::shared_ptr<const connect::CallRequest> request, TimePoint now,
       std::chrono::milliseconds used, CallSink& sink);

  connect::CallId id() const { return id_; }
  rpc::ProtocolCall& protocol() { return *protocol_; }
  connect::CallKind kind() const { return kind_; }
  const std::string& message_at_deadline() const { return message_at_deadline_; }
  // Until DropRequest(), which is called once there is a stream.
  const connect::CallRequest& request() const { return *request_; }
  void DropRequest() { request_.reset(); }

  CallPhase PhaseAt(size_t window) const;
  // Was not given to HTTP/2 yet, and may still be.
  bool waits() const { return stage_ == Stage::kPrepared || stage_ == Stage::kQueued; }
  bool prepared() const { return stage_ == Stage::kPrepared; }
  bool lingering() const { return stage_ == Stage::kLingering; }
  bool open() const { return stage_ == Stage::kOpen; }
  // Its end is known, or at least that there will be no more of the response.
  bool over() const { return stage_ == Stage::kComplete || stage_ == Stage::kDropped; }
  // It waits for a stream, for `timeout` at most; 0: as long as its own deadline lets it.
  void Queue(TimePoint now, std::chrono::milliseconds timeout);
  // The HTTP/2 stream; 0 before it is opened and after it is closed.
  int32_t stream_id() const { return stream_id_; }
  void Open(int32_t stream_id);
  // As EndAction says; returns false for kIgnore.
  bool End(EndAction action, const absl::Status& status);

  // What is to be sent once there is a stream.
  std::string& unsent() { return unsent_; }
  const std::string& unsent() const { return unsent_; }
  bool send_closed() const { return send_closed_; }
  void set_send_closed() { send_closed_ = true; }
  // The server half-closed: the HTTP response is complete.
  bool remote_ended() const { return remote_ended_; }

  // The user is done with messages of so many bytes; more than were handed out do not count.
  // Silence counts from here on if it was the user's before: see CheckDeadlines().
  void Release(size_t credit, TimePoint now, size_t window);
  // The user is given `message`. Its credit becomes what it costs to hold it: decompressed it may
  // be far larger than what came, and however small it is, it takes kMinMessageCredit.
  void OnHandOut(connect::MessageView& message);
  // So much was handed out and not released that the user has to catch up before there is more.
  // The receive window takes care of messages that are neither compressed nor small.
  bool IsPaused(size_t window) const {
    return stage_ != Stage::kDropped && grows_ && handed_out_bytes_ >= window;
  }
  // Credit that is due to the peer now: for all that was received but the complete messages that
  // wait for the user. If a message was larger than the window, credit went back before it was
  // complete; until the user is done with it, as much of what follows is not credited. So what
  // waits never exceeds one message and the window.
  size_t TakeCreditDue();

  // When the connection is to look at this call again.
  std::optional<TimePoint> NextDeadline() const;
  // The error that is due at `now`, else OK. `window` is the stream's receive window: while half of
  // it waits for the user, silence is not the server's.
  absl::Status CheckDeadlines(TimePoint now, size_t window);
  void OnActivity(TimePoint now) { last_activity_ = now; }
  // The protocol's end came, HTTP's has not: wait for it until then.
  void StartLinger(TimePoint until);
  bool LingerOver(TimePoint now) const { return linger_until_ && *linger_until_ <= now; }

  // h2::StreamVisitor
  void OnHeaders(h2::Headers headers) override;
  void OnData(std::string_view bytes) override;
  void OnRemoteEnd() override;
  void OnClosed(const h2::StreamClose& close) override;

  // Marks that the call stands in a list of the connection: kept here so that asking is O(1).
  bool touched = false;
  bool received = false;
  bool blocked = false;

 private:
  // CallPhase without the paused ones, which depend on the user.
  enum class Stage { kPrepared, kQueued, kOpen, kLingering, kComplete, kDropped };

  // The response brings nothing more.
  void Complete();

  const connect::CallId id_;
  const connect::CallKind kind_;
  const std::chrono::milliseconds timeout_;
  const std::chrono::milliseconds idle_timeout_;
  const std::string message_at_deadline_;
  std::shared_ptr<const connect::CallRequest> request_;
  const std::unique_ptr<rpc::ProtocolCall> protocol_;
  CallSink& sink_;
  Stage stage_ = Stage::kPrepared;
  int32_t stream_id_ = 0;
  std::string unsent_;
  bool send_closed_ = false;
  bool head_seen_ = false;
  bool remote_ended_ = false;
  connect::Headers http_trailers_;
  uint64_t received_bytes_ = 0;
  uint64_t credited_bytes_ = 0;
  size_t held_bytes_ = 0;        // in complete messages that the user is not done with
  size_t handed_out_bytes_ = 0;  // of these, what the user has
  bool grows_ = false;           // messages cost more than what came
  std::optional<TimePoint> deadline_;
  std::chrono::milliseconds stream_timeout_{0};
  std::optional<TimePoint> stream_deadline_;  // while it waits for a stream
  TimePoint last_activity_;
  std::optional<TimePoint> linger_until_;
};

// What happens to a stream that the peer did not end: reset by it, or by us because of it. A server
// that has begun to answer has acted, whatever it says.
enum class Answered { kNo, kYes };
absl::Status StatusOfClose(const h2::StreamClose& close, Answered answered);

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_CALL_H_
