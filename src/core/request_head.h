#ifndef CURSORWIRE_SRC_CORE_REQUEST_HEAD_H_
#define CURSORWIRE_SRC_CORE_REQUEST_HEAD_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "cursorwire/connect/connection.h"
#include "cursorwire/connect/headers.h"
#include "rpc/protocol_call.h"

namespace cursorwire::core {

// Whether a call may be made at all.
//   kInvalidArgument   a path that does not begin with '/'
//   kDeadlineExceeded  its time was over before it began
absl::Status CheckRequest(const connect::CallRequest& request);

// All headers of the request, those of HTTP/2 first: of the protocol, of the connection, and those
// that the user added.
//   kInvalidArgument  the user added a header that the protocol sets
absl::StatusOr<connect::Headers> MakeRequestHead(const connect::CallRequest& request,
                                                 const rpc::ProtocolCall& protocol,
                                                 const connect::ConnectionOptions& options);

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_REQUEST_HEAD_H_
