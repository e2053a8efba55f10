#ifndef CURSORWIRE_SRC_RPC_LIMITS_H_
#define CURSORWIRE_SRC_RPC_LIMITS_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <cstddef>

#include "base/error.h"
#include "cursorwire/connect/call_options.h"

namespace cursorwire::rpc {

// Limit of the body of an HTTP error; the rest is ignored. Source: docs/protocol.md, framing.
constexpr size_t kMaxErrorBodyBytes = size_t{1024} * 1024;
// Limit of the JSON of an end-stream envelope; parsing it takes many times that memory.
constexpr size_t kMaxEndStreamBytes = size_t{1024} * 1024;
// Limit of all metadata bytes, the same as for the headers of a response. A name counts once for
// each of its values.
constexpr size_t kMaxMetadataBytes = size_t{256} * 1024;

// Limit of a name chosen by the peer that is quoted in a message.
constexpr size_t kMaxQuotedBytes = 100;

inline absl::Status CheckSendSize(size_t size, const connect::CallOptions& options) {
  if (size <= options.max_send_bytes) return absl::OkStatus();
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat("message of ", size, " bytes is over the send limit of ",
                                 options.max_send_bytes, " bytes"));
}

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_LIMITS_H_
