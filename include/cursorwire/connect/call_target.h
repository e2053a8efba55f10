// Room: src/channel/waiting
#ifndef CURSORWIRE_CONNECT_CALL_TARGET_H_
#define CURSORWIRE_CONNECT_CALL_TARGET_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string_view>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/stream.h"
#include "cursorwire/connect/unary_response.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// What calls are made on: a Channel, or a ConnectionPin. Everything that makes calls takes one of
// these, and works with both. Thread-safe.
class CURSORWIRE_EXPORT CallTarget {
 public:
  virtual ~CallTarget() = default;

  // Starts a call whose events go to `observer`: one thread serves any number of calls. A call that
  // cannot be made ends with OnEnd(), too. nullptr: what comes is thrown away.
  virtual Call Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const = 0;

  // Opens a stream to be used with blocking functions.
  Stream OpenStream(std::string_view path, const CallOptions& options = {}) const;
  // The same for a call of any kind: a unary one has one message each way.
  Stream OpenStream(const CallRequest& request) const;

  // Sends one message and waits for the answer. Errors: as Stream::CloseAndReceive(), and
  //   kResourceExhausted  `message` is over CallOptions::max_send_bytes
  absl::StatusOr<UnaryResponse> Unary(std::string_view path, std::string_view message,
                                      const CallOptions& options = {}) const;

 protected:
  CallTarget() = default;
  CallTarget(const CallTarget&) = default;
  CallTarget& operator=(const CallTarget&) = default;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CALL_TARGET_H_
