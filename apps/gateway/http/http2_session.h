#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_SESSION_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_SESSION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/body_budget.h"
#include "http/http_server.h"
#include "http/timer_queue.h"

namespace cursor_gateway {

// Bounds of a connection of HTTP/2, beside those of http_server.h: docs/limits.md.
inline constexpr uint32_t kMaxHttp2Streams = 100;
// Of the fields of one header block, counted as in RFC 9113, 6.5.2, before it ends the connection.
inline constexpr size_t kMaxHttp2BlockBytes = size_t{1024} * 1024;
// Bodies that are there or come, when all but the first that comes must wait.
inline constexpr size_t kMaxHttp2BodiesBytes = size_t{16} * 1024 * 1024;
// Of what a client may do within kHttp2CountTime before it is shut out.
inline constexpr uint32_t kMaxHttp2Resets = 300;
inline constexpr uint32_t kMaxHttp2EmptyFrames = 2000;
inline constexpr std::chrono::seconds kHttp2CountTime{10};
// Of answers that the client has not read, before its other requests are refused.
inline constexpr size_t kMaxHttp2UnsentBytes = size_t{4} * 1024 * 1024;
// Until a request whose answer is complete is to be complete as well.
inline constexpr std::chrono::seconds kHttp2RestTimeout{2};
// Frames that wait to be sent, beside DATA, while the client does not read.
inline constexpr size_t kMaxHttp2QueuedFrames = 2000;

// HTTP/2 of one connection, as a server, without I/O: the preface of the client is among its bytes.
// Each stream is an exchange of `handler`, with the checks and bounds that HTTP/1.1 has.
//
// Order: Receive(), TakeOutput(), OnDeadline() and what the exchanges do, in any order, until
// IsOver(); then the rest of TakeOutput(), which may hold the GOAWAY. `on_output` is called when an
// exchange leaves something to take or changes NextDeadline(), not from within these functions. The
// handler outlives the session; exchanges may outlive it, and their clients are gone then.
//
// Credit of the connection goes back at once, credit of a stream as its body may be kept: one body
// after the other beyond kMaxHttp2BodiesBytes. A stream that the client does not read holds back
// itself alone.
// Thread-compatible. Source: RFC 9113.
class Http2Session {
 public:
  using Clock = std::function<TimePoint()>;

  Http2Session(HttpHandler& handler, BodyBudget bodies, Clock clock,
               std::function<void()> on_output);
  // As Leave().
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  void Receive(std::string_view bytes);
  // Appends up to about `max_bytes` for the client to `out`.
  void TakeOutput(size_t max_bytes, std::string& out);

  // Takes no more streams, and is over when those that are open have ended. The handler may refuse
  // those whose bodies are not complete.
  void Drain();
  // The client is gone: so are all of its exchanges.
  void Leave();

  // Nothing more is read, and no stream is open.
  bool IsOver() const;
  size_t open_streams() const;

  // When OnDeadline() is to be called; too early is no harm.
  std::optional<TimePoint> NextDeadline() const;
  void OnDeadline();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_SESSION_H_
