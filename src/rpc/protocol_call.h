#ifndef CURSORWIRE_SRC_RPC_PROTOCOL_CALL_H_
#define CURSORWIRE_SRC_RPC_PROTOCOL_CALL_H_

#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// The protocol of one call, without HTTP/2 and without I/O: takes the bytes of the response and
// returns events.
//
// Order: OnHeaders() once, then OnBody() any number of times, then OnEnd() or Fail(). Fail() may
// come at any time. After each of them, NextEvent() until it returns nullopt. There is exactly one
// CallEnd event, which is the last.
// Thread-compatible.
class ProtocolCall {
 public:
  virtual ~ProtocolCall() = default;

  // True: the request must begin only after Encode(), since its headers depend on the message.
  virtual bool encodes_first() const { return false; }
  // The protocol's headers, which go between the pseudo headers and the user's headers.
  virtual connect::Headers RequestHeaders() const = 0;
  // If not empty, the request is a GET without a body, and this is appended to its path.
  virtual std::string_view get_query() const { return {}; }
  // Appends `message` to `out` in its wire form.
  //   kResourceExhausted  over CallOptions::max_send_bytes
  virtual absl::Status Encode(std::string_view message, std::string& out) = 0;

  virtual void OnHeaders(int http_status, connect::Headers headers) = 0;
  // Returns how many bytes of complete messages now wait for the user in addition;
  // MessageView::credit hands them out.
  virtual size_t OnBody(std::string_view bytes) = 0;
  // The response ended. `trailers` are those of HTTP, which Connect does not use.
  virtual void OnEnd(connect::Headers trailers) = 0;
  // Ends the call for this reason, unless its end is already known.
  virtual void Fail(const absl::Status& status) = 0;
  // Ends the call for this reason and drops the events that wait.
  virtual void Abandon(const absl::Status& status) = 0;

  // The credit of a compressed message is its decompressed size, if that is more than what OnBody()
  // counted. get_growth() returns the difference for the last message.
  virtual std::optional<connect::CallEvent> NextEvent() = 0;
  virtual size_t get_growth() const { return 0; }
  // The same for a message alone, and cheaper: nullopt if what comes next is something else, or
  // takes more to find out; then NextEvent() says what it is. The growth of such a message is 0.
  virtual std::optional<connect::MessageView> NextMessage() { return std::nullopt; }

  // The protocol's own end (an end-stream envelope) has arrived; HTTP's may still be missing.
  virtual bool saw_end() const = 0;
};

// Returns the protocol that the request needs.
std::unique_ptr<ProtocolCall> MakeProtocolCall(const connect::CallRequest& request);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_PROTOCOL_CALL_H_
