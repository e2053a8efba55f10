#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_STREAM_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_STREAM_H_

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/body_budget.h"
#include "http/http2_request.h"
#include "http/http_server.h"
#include "http/server_exchange.h"
#include "http/timer_queue.h"

namespace cursor_gateway {

class Http2Stream;

// What a stream asks of its session.
class Http2StreamOwner {
 public:
  // `body_follows`: else the answer ends with its head.
  virtual void Respond(Http2Stream& stream, int status, const HttpFields& fields,
                       std::optional<size_t> length, bool body_follows) = 0;
  // There is more in the outbox, or its end.
  virtual void OnOutbox(Http2Stream& stream) = 0;
  virtual void Abort(Http2Stream& stream) = 0;
  virtual void OnBodyDropped(Http2Stream& stream) = 0;

 protected:
  ~Http2StreamOwner() = default;
};

// One stream: a request as it comes, and an answer as it goes. Thread-compatible.
class Http2Stream final : public AnswerSink {
 public:
  enum class State {
    kHead,       // its header block comes
    kBody,       // it was let in, and its body comes
    kAnswering,  // the handler has it, or it was refused
  };

  Http2Stream(Http2StreamOwner& owner, int32_t stream_id, BodyBudget bodies)
      : id(stream_id), share(std::move(bodies)), owner_(&owner) {}

  // AnswerSink
  void SendAnswer(const HttpHead& head, const HttpAnswer& answer) override;
  void SendStreamHead(const HttpHead& head, int status, HttpFields fields) override;
  void SendPiece(const HttpHead& head, std::string_view bytes) override;
  void SendEnd(const HttpHead& head) override;
  void SendAbort() override;
  size_t unsent_bytes() const override { return outbox().size() - taken_; }
  // Memory of what is not sent.
  size_t kept_bytes() const { return outbox_.size(); }
  void OnBodyDropped() override;

  // Up to `size` bytes of the answer. Sets NGHTTP2_DATA_FLAG_EOF behind the last of them.
  //   NGHTTP2_ERR_DEFERRED  there are none yet
  ssize_t TakeOutbox(uint8_t* buffer, size_t size, uint32_t* flags);
  // The session knows it no more: what its exchange does has no effect.
  void Detach();

  // Kept by the session.
  const int32_t id;
  State state = State::kHead;
  Http2RequestHead incoming;  // as they come
  HttpHead request;           // once all are there
  std::string body;
  BodyShare share;                         // of the body
  size_t body_bytes = 0;                   // that count as kept
  size_t withheld_credit = 0;              // received, and not handed back
  std::optional<Unreadable> body_refusal;  // why no more of it is kept
  bool handed = false;                     // the handler has the request
  bool remote_ended = false;
  bool deferred = false;
  bool drained = false;   // all that was written is taken, and the writer does not know
  bool complete = false;  // the answer ends with what is in the outbox
  bool end_sent = false;
  bool cut_by_us = false;
  bool cut_by_client = false;
  bool closed = false;
  std::optional<TimePoint> deadline;
  std::weak_ptr<ServerExchange> exchange;

 private:
  Http2StreamOwner* owner_;  // nullptr: detached
  void ClearOutbox();
  std::string_view outbox() const { return lasting_.empty() ? outbox_ : lasting_; }

  std::string outbox_;
  std::string_view lasting_;  // in place of it
  size_t taken_ = 0;          // of the outbox
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_STREAM_H_
