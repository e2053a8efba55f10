#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_SERVER_CONNECTION_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_SERVER_CONNECTION_H_

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/time_point.h"
#include "h2/session.h"
#include "tls/server_context.h"
#include "tls/transport.h"

namespace cursorwire::upstream {

using connect::Headers;
using connect::TimePoint;

// How a connection ends: by closing it, or by a TCP reset.
enum class DropKind { kClose, kReset };

// Sends the response to one request.
class Responder {
 public:
  virtual void SendHeaders(const Headers& headers) = 0;
  virtual void SendBody(std::string_view bytes) = 0;
  // Like SendBody(), but in a DATA frame of its own.
  virtual void SendBodyFrame(std::string_view bytes) = 0;
  virtual void Finish() = 0;
  virtual void Reset(uint32_t http2_code) = 0;

  // Sends bytes on the connection, after everything that was already sent as far as flow control
  // allows it now. This side's HTTP/2 session does not know about these bytes.
  virtual void SendRawBytes(std::string_view bytes) = 0;
  virtual int32_t stream_id() const = 0;
  // Nothing more is sent; unsent output of other streams is lost.
  virtual void DropConnection(DropKind kind) = 0;

 protected:
  ~Responder() = default;
};

// One request, as the service sees it. Its functions are called outside of the session's callbacks,
// so they may use all of Responder. Destroyed when the stream is closed.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual void OnHeaders(const Headers& headers, TimePoint now) = 0;
  virtual void OnBody(std::string_view bytes, TimePoint now) = 0;
  virtual void OnRequestEnd(TimePoint now) = 0;
  virtual std::optional<TimePoint> NextDeadline() const = 0;
  virtual void OnDeadline(TimePoint now) = 0;
  // The last call: the stream or its connection is gone. The responder must not be used any more.
  virtual void OnClosed() {}
};

class Service {
 public:
  virtual ~Service() = default;
  // `responder` lives as long as the returned handler.
  virtual std::unique_ptr<RequestHandler> StartRequest(Responder& responder) = 0;
};

// The server side of one connection: TLS, HTTP/2 and the requests on it, without I/O. The
// counterpart of connect::Connection. `context` (nullptr: no TLS) and `service` must outlive it.
// Thread-compatible; reads no clock.
class ServerConnection final : public h2::SessionVisitor {
 public:
  // `max_concurrent_streams`: that the client may open.
  static absl::StatusOr<std::unique_ptr<ServerConnection>> Create(
      const tls::ServerContext* context, Service& service,
      uint32_t max_concurrent_streams = h2::SessionOptions().max_concurrent_streams);
  ~ServerConnection();

  // After an error, write PendingOutput() and close the transport.
  absl::Status Receive(std::string_view bytes, TimePoint now);
  // The client ended its side of TLS and sends nothing more.
  bool peer_closed() const { return transport_.peer_closed(); }
  // Set after DropConnection(): write PendingOutput(), then end the transport in this way.
  std::optional<DropKind> drop() const { return drop_; }
  std::string_view PendingOutput();
  void ConsumeOutput(size_t bytes) { transport_.ConsumeOutput(bytes); }
  std::optional<TimePoint> NextDeadline() const;
  void OnDeadline(TimePoint now);

  // h2::SessionVisitor
  h2::StreamVisitor* OnStreamOpened(int32_t stream_id) override;
  void OnGoAway(h2::GoAway) override {}
  void OnSettings() override {}

 private:
  class Stream;

  ServerConnection(tls::Transport transport, Service& service, uint32_t max_concurrent_streams);

  void FillOutput();
  bool TakeSessionOutput();
  void Write(std::string_view bytes);
  void SendRawBytes(std::string_view bytes);
  void DropConnection(DropKind kind);
  void RunRecorded(TimePoint now);

  tls::Transport transport_;
  Service& service_;
  std::string session_output_;  // scratch of FillOutput()
  std::optional<DropKind> drop_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Stream>> streams_;
  h2::Session session_;  // last, since its visitors are members above
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_SERVER_CONNECTION_H_
