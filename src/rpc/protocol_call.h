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

// The protocol of one call, without HTTP/2 and without I/O: bytes of the response go in, events
// come out.
//
// Order: OnHeaders() once, then OnBody() any number of times, then one of OnEnd() and Fail();
// Fail() may come at any time. NextEvent() after each, until nullopt. There is exactly one CallEnd
// event, and nothing after it.
// Thread-compatible.
class ProtocolCall {
 public:
  virtual ~ProtocolCall() = default;

  // The request begins only after Encode(): its head depends on the message.
  virtual bool encodes_first() const { return false; }
  // The headers of the protocol, behind the pseudo headers and before those of the user.
  virtual connect::Headers RequestHeaders() const = 0;
  // If it is not empty, the request is a GET without a body, and this follows its path.
  virtual std::string_view get_query() const { return {}; }
  // Appends `message` to `out` as it goes on the wire.
  //   kResourceExhausted  over CallOptions::max_send_bytes
  virtual absl::Status Encode(std::string_view message, std::string& out) = 0;

  virtual void OnHeaders(int http_status, connect::Headers headers) = 0;
  // Returns how many bytes wait for the user from now on, in complete messages; they come as
  // MessageView::credit.
  virtual size_t OnBody(std::string_view bytes) = 0;
  // The response ended; `trailers` are HTTP's, which Connect does not use.
  virtual void OnEnd(connect::Headers trailers) = 0;
  // The call is over for this reason, unless its end is known already.
  virtual void Fail(const absl::Status& status) = 0;
  // The call is over for this reason, and what waits for NextEvent() is dropped.
  virtual void Abandon(const absl::Status& status) = 0;

  // The credit of a message that was compressed is its size now, if that is more than OnBody() has
  // counted: get_growth() is the difference, of the last message.
  virtual std::optional<connect::CallEvent> NextEvent() = 0;
  virtual size_t get_growth() const { return 0; }

  // The protocol's own end has come (an end-stream envelope), although HTTP's may not have.
  virtual bool saw_end() const = 0;
};

// The protocol for a request.
std::unique_ptr<ProtocolCall> MakeProtocolCall(const connect::CallRequest& request);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_PROTOCOL_CALL_H_
