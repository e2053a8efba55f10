#include "cursorwire/connect/call_target.h"

#include <string>
#include <utility>

#include "channel/waiting/stream_queue.h"

namespace cursorwire::connect {

Stream CallTarget::OpenStream(std::string_view path, const CallOptions& options) const {
  return OpenStream({.path = std::string(path), .kind = CallKind::kStreaming, .options = options});
}

Stream CallTarget::OpenStream(const CallRequest& request) const {
  auto queue = std::make_shared<Stream::Queue>();
  return Stream(Start(request, queue), queue);
}

absl::StatusOr<UnaryResponse> CallTarget::Unary(std::string_view path, std::string_view message,
                                                const CallOptions& options) const {
  Stream call =
      OpenStream({.path = std::string(path), .kind = CallKind::kUnary, .options = options});
  if (absl::Status status = call.Send(std::string(message)); !status.ok()) {
    // An ended call has its own reason, which is told below; a message that is too large has not.
    if (status.code() != absl::StatusCode::kFailedPrecondition) return status;
  }
  return call.CloseAndReceive();
}

}  // namespace cursorwire::connect
