// Room: src/jsonrpc
#ifndef CURSORWIRE_JSONRPC_PEER_H_
#define CURSORWIRE_JSONRPC_PEER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cursorwire/export.h"

namespace cursorwire::jsonrpc {

// JSON-RPC 2.0 over lines, for programs that speak a protocol over it. JSON is text here, so that a
// program uses whichever JSON library it likes. Source: the JSON-RPC 2.0 specification.

// Error codes of the specification, section 5.1.
inline constexpr int64_t kParseError = -32700;
inline constexpr int64_t kInvalidRequest = -32600;
inline constexpr int64_t kMethodNotFound = -32601;
inline constexpr int64_t kInvalidParams = -32602;
inline constexpr int64_t kInternalError = -32603;

struct PeerError {
  int64_t code = kInternalError;
  std::string message{};    // UTF-8; other bytes become U+FFFD
  std::string data_json{};  // empty: there is none
};

// The other side wants an answer, by Peer::Respond() with the same id.
struct PeerRequest {
  std::string id_json{};  // a string, a number or null, as the other side wrote it
  std::string method{};
  std::string params_json{};  // an object or a list; empty: there are none
};
struct PeerNotification {
  std::string method{};
  std::string params_json{};  // as in PeerRequest
};
// The answer to a request of ours: the result as JSON, or why there is none.
struct PeerAnswer {
  uint64_t request_id = 0;
  std::variant<std::string, PeerError> outcome{};
};
// The other side does not want an answer to that request any more. It must still be answered.
struct PeerCancellation {
  std::string id_json{};  // of the request
};
// The other side reports an error and cannot say which request it belongs to.
struct PeerComplaint {
  PeerError error{};
};

using PeerEvent =
    std::variant<PeerRequest, PeerNotification, PeerAnswer, PeerCancellation, PeerComplaint>;

struct PeerOptions {
  // The notification by which either side gives up a request; its params have `requestId`. Empty:
  // the protocol has none.
  std::string cancel_method{};
  size_t max_line_bytes = size_t{64} * 1024 * 1024;       // of a line that is received
  size_t max_sent_line_bytes = size_t{64} * 1024 * 1024;  // of a line that is sent
  size_t max_open_requests = 1024;                        // of each side
};

// One end of a connection, without I/O: bytes in, events and bytes out. One message a line.
//
// Order: Receive() what came, then Next() until it returns nullopt; everything else at any time.
// TakeOutput() has what must be sent. Lines that are no message are answered with an error, as the
// specification says; answers to requests that are not open are ignored; a request whose id is in
// use is refused. No input ends the connection.
//
// Memory: one line of the other side and its value, what Receive() got since the last Next(), and
// the ids of open requests. The output has no limit here: stop to receive, and to send, while
// output_bytes() is too large.
// Thread-compatible. One that was moved from may only be destroyed or assigned to.
class CURSORWIRE_EXPORT Peer {
 public:
  explicit Peer(PeerOptions options = {});
  ~Peer();
  Peer(Peer&&) noexcept;
  Peer& operator=(Peer&&) noexcept;

  // Bytes of the other side, in pieces of any size.
  void Receive(std::string_view bytes);
  std::optional<PeerEvent> Next();

  // Sends a request and returns its id. Its PeerAnswer comes once, unless Cancel() or
  // Forget() was called.
  //   kInvalidArgument    `params_json` is not JSON
  //   kResourceExhausted  too many requests are open, or the line is too long; nothing is sent
  absl::StatusOr<uint64_t> Call(std::string method, std::string_view params_json);
  //   kInvalidArgument, kResourceExhausted  as above; nothing is sent
  absl::Status Notify(std::string method, std::string_view params_json);
  // Answers a request; ignored if it is not open. An answer that cannot be sent becomes an error
  // that says why.
  void Respond(std::string_view id_json, const std::variant<std::string, PeerError>& outcome);
  // Gives up a request of ours: its answer is ignored, and the other side is told by
  // `cancel_method`. False if the request is not open.
  bool Cancel(uint64_t request_id);
  // The same without a word to the other side, which does what was asked: for a request whose
  // answer nobody needs. A request that is open counts for `max_open_requests` until its answer
  // comes, which may be never.
  bool Forget(uint64_t request_id);

  // All lines that must be sent, each with its end.
  std::string TakeOutput();
  size_t output_bytes() const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::jsonrpc

#endif  // CURSORWIRE_JSONRPC_PEER_H_
