// Room: values
#ifndef CURSORWIRE_CONNECT_ERROR_INFO_H_
#define CURSORWIRE_CONNECT_ERROR_INFO_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/headers.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// The text of a code in the Connect protocol: "canceled", "invalid_argument" and so on; "ok" for
// kOk. The sixteen error codes map one to one (Connect protocol, "Error codes").
CURSORWIRE_EXPORT std::string_view CodeText(absl::StatusCode code);

// The code that a text names; nullopt if it is not one of the sixteen.
CURSORWIRE_EXPORT std::optional<absl::StatusCode> CodeFromText(std::string_view text);

// Who says that the call failed.
enum class ErrorOrigin {
  kServer,     // the server answered with this error
  kTransport,  // no connection, or it was lost, reset or refused
  kProtocol,   // the peer sent bytes that break HTTP/2, Connect or protobuf; found by us
  kLocal,      // our own side: a bad argument, a limit, a deadline, a cancellation
};

// One entry of `details` of a Connect error (Connect protocol, "Error end-stream").
struct ErrorDetail {
  std::string type;        // name of a message, without URL prefix
  std::string value;       // its bytes, base64 already taken off
  std::string debug_json;  // the optional `debug` member as JSON text, else empty

  friend bool operator==(const ErrorDetail&, const ErrorDetail&) = default;
};

// What is known about a failed call beyond code and message. A value.
struct ErrorInfo {
  ErrorOrigin origin = ErrorOrigin::kLocal;
  // The server cannot have acted on the call, so that repeating it is safe: no connection was made,
  // nothing of the call was sent, or the server refused it (REFUSED_STREAM, or a stream above the
  // last one of a GOAWAY) before it answered. False where it is not certain.
  bool replay_safe = false;
  // Status of the HTTP response; 0 if none came.
  int http_status = 0;
  // Error code of the RST_STREAM or GOAWAY frame that ended the call (RFC 9113, 7).
  std::optional<uint32_t> http2_code{};
  // The text that was sent as the code, if it is not one of the sixteen codes of Connect.
  std::string unknown_code{};
  std::vector<ErrorDetail> details{};
  // Response headers and trailers of a failed call of one answer, where the Status is all that its
  // caller gets: Channel::Unary(), Stream::CloseAndReceive(). Streams have WaitForHead() and
  // trailers().
  Headers metadata{};

  friend bool operator==(const ErrorInfo&, const ErrorInfo&) = default;
};

// The ErrorInfo of a Status of this library; nullopt for OK and for a foreign Status.
// It travels as a payload in readable text, so that printing a Status shows it.
CURSORWIRE_EXPORT std::optional<ErrorInfo> GetErrorInfo(const absl::Status& status);

// Attaches `info`, in place of one that is there. No effect on an OK Status.
CURSORWIRE_EXPORT void SetErrorInfo(absl::Status& status, const ErrorInfo& info);

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_ERROR_INFO_H_
