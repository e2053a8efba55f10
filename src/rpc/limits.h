#ifndef CURSORWIRE_SRC_RPC_LIMITS_H_
#define CURSORWIRE_SRC_RPC_LIMITS_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <cstddef>

#include "base/error.h"
#include "cursorwire/connect/call_options.h"

namespace cursorwire::rpc {

// Size of the body of an HTTP error; what follows is ignored. Source: docs/protocol.md, framing.
constexpr size_t kMaxErrorBodyBytes = size_t{1024} * 1024;
// Size of the JSON of an end-stream envelope, which takes many times that when it is read.
constexpr size_t kMaxEndStreamBytes = size_t{1024} * 1024;
// Total metadata bytes. A name counts once per value. As much as the headers of a response may
// have.
constexpr size_t kMaxMetadataBytes = size_t{256} * 1024;

// Length of a name that the peer chose, where a message quotes it.
constexpr size_t kMaxQuotedBytes = 100;

inline absl::Status CheckSendSize(size_t size, const connect::CallOptions& options) {
  if (size <= options.max_send_bytes) return absl::OkStatus();
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat("message of ", size, " bytes is over the send limit of ",
                                 options.max_send_bytes, " bytes"));
}

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_LIMITS_H_
