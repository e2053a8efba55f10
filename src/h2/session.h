#ifndef CURSORWIRE_SRC_H2_SESSION_H_
#define CURSORWIRE_SRC_H2_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/headers.h"

namespace cursorwire::h2 {

using connect::Headers;

// Error codes of RST_STREAM and GOAWAY that the layers above name. Source: RFC 9113, section 7.
constexpr uint32_t kNoError = 0x0;
constexpr uint32_t kRefusedStream = 0x7;
constexpr uint32_t kCancel = 0x8;

enum class Role { kClient, kServer };
enum class EndStream { kNo, kYes };

struct SessionOptions {
  Role role = Role::kClient;
  // Receive windows in bytes. The connection's is large, since its credit goes back on receipt:
  // one slow reader stops no other stream.
  uint32_t stream_window = 1024 * 1024;
  uint32_t connection_window = 16 * 1024 * 1024;
  // Limit of one header block, counted as in RFC 9113, 6.5.2: names, values and 32 per field. What
  // is over it costs its stream; a single name or value of over 64 KiB, as it is encoded, costs the
  // connection.
  size_t max_header_bytes = size_t{256} * 1024;
  uint32_t max_concurrent_streams = 1000;  // that the peer may open
};

// Why a stream is gone.
struct StreamClose {
  uint32_t http2_code = kNoError;
  bool by_peer = false;       // the peer sent RST_STREAM
  bool header_limit = false;  // we reset it: a header block was over max_header_bytes
  bool unsent = false;        // client only: the peer never got the request
};

// What happens on one stream. The calls come from within Session::Receive() and
// Session::TakeOutput(); they only record: none may call the session.
//
// In what order they come (OnClosed only if the session lives so long):
//   a whole message        OnHeaders OnData... OnHeaders? (trailers) OnRemoteEnd OnClosed
//   reset by either side   any beginning of that, then OnClosed
//   request never sent     OnClosed
// OnClosed comes once both sides have ended, so our half-close may delay it. After
// Session::Detach() there are no calls.
class StreamVisitor {
 public:
  // A complete header block: the headers of a request or response first (responses of status 1xx
  // are left out), then at most one of trailers. Pseudo headers are among them.
  virtual void OnHeaders(Headers headers) = 0;
  virtual void OnData(std::string_view bytes) = 0;
  // The peer half-closed: nothing more comes from it.
  virtual void OnRemoteEnd() = 0;
  // The last call for this stream; its id is dead from here on.
  virtual void OnClosed(const StreamClose& close) = 0;

 protected:
  ~StreamVisitor() = default;
};

struct GoAway {
  int32_t last_stream_id = 0;
  uint32_t http2_code = kNoError;
  std::string debug_data{};  // at most 1 KiB of it
};

// What happens on the connection. As StreamVisitor: record only.
class SessionVisitor {
 public:
  // Server only: the peer opened a stream. The visitor returned serves it; nullptr refuses it.
  virtual StreamVisitor* OnStreamOpened(int32_t stream_id) = 0;
  virtual void OnGoAway(GoAway goaway) = 0;
  virtual void OnSettings() = 0;  // the peer's, the first of them ends its preface

 protected:
  ~SessionVisitor() = default;
};

// HTTP/2 of one connection, client or server, without I/O.
//
// Order: Receive() bytes from the peer, call the stream functions, TakeOutput() bytes for the peer;
// in any order and number. After an error of Receive() only TakeOutput() is of use: it yields the
// GOAWAY. A stream's visitor must live until its OnClosed(), or the session's end.
// Flow control: no credit goes back by itself; see ConsumeConnection() and ConsumeStream().
// Memory: the unsent bytes of Write() are kept; received bytes are not.
// Thread-compatible. Source: RFC 9113.
class Session {
 public:
  Session(const SessionOptions& options, SessionVisitor& visitor);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Opens a stream (client). `headers` holds the pseudo headers first.
  //   kInvalidArgument    a name or value that HTTP does not allow; the value is not quoted
  //   kResourceExhausted  headers over 64 KiB, counted as max_header_bytes
  //   kUnavailable        no stream id is left, or the peer said GOAWAY: use another connection
  absl::StatusOr<int32_t> SubmitRequest(const Headers& headers, EndStream end,
                                        StreamVisitor& visitor);
  // Answers a stream (server).
  absl::Status SubmitResponse(int32_t stream_id, const Headers& headers, EndStream end);

  // Queues bytes of the body. No effect once the stream is closed or finished.
  void Write(int32_t stream_id, std::string_view bytes);
  // The same, in a DATA frame of their own; in several where one is too small.
  void WriteFrame(int32_t stream_id, std::string_view bytes);
  // Half-closes our side after the bytes of Write().
  void FinishWrite(int32_t stream_id);
  // Drops what is unsent and sends RST_STREAM; the visitor's OnClosed() follows.
  void Reset(int32_t stream_id, uint32_t http2_code);
  // The visitor gets no more calls and may die. DATA that still comes is dropped, its credit handed
  // back. The stream itself goes on: finish or reset it as well.
  void Detach(int32_t stream_id);
  // False while all of a request waits (client): no byte of it was in TakeOutput(). True of a
  // closed stream.
  bool request_sent(int32_t stream_id) const;
  // Streams may be opened (client): a stream id is left, and neither side has said GOAWAY.
  bool accepts_requests() const;
  // A request would go out at once (client): the peer's limit of streams is not reached. Until its
  // settings come, the limit is 100.
  bool has_free_stream() const;
  // Bytes of Write() that the peer's window did not admit yet.
  size_t unsent_bytes(int32_t stream_id) const;
  // Neither ended by both sides nor reset.
  bool is_open(int32_t stream_id) const;
  // How many bytes more of Write() its windows would admit.
  size_t room(int32_t stream_id) const;

  // Hands credit back to the peer for DATA bytes that came in.
  void ConsumeConnection(size_t bytes);
  void ConsumeStream(int32_t stream_id, size_t bytes);

  void Ping();
  // Announces the end: streams that the peer opens from now on are refused.
  void SendGoAway(uint32_t http2_code, std::string_view debug_data);

  //   kInternal  the peer's bytes break HTTP/2
  absl::Status Receive(std::string_view bytes);
  // The same for bytes that come in pieces: Feed() each, and EndFeed() once. What comes after a
  // violation is ignored.
  void Feed(std::string_view bytes);
  absl::Status EndFeed();

  // Appends up to about `max_bytes` for the peer to `out`.
  //   kInternal  a violation that Receive() missed because over 64 KiB of output was pending.
  //              Reported once; the GOAWAY is in `out`. Or a failure of nghttp2 that no peer
  //              causes, such as a lack of memory
  absl::Status TakeOutput(size_t max_bytes, std::string& out);
  bool WantsOutput() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::h2

#endif  // CURSORWIRE_SRC_H2_SESSION_H_
