#include "acp/errors.h"

#include <cursorwire/connect/error_info.h>

#include "acp/json.h"

namespace cursor_acp {

using cursorwire::jsonrpc::PeerError;

PeerError RequestError(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return {.code = cursorwire::jsonrpc::kInvalidParams,
              .message = std::string(status.message())};
    case absl::StatusCode::kNotFound:
      return {.code = kResourceNotFound, .message = std::string(status.message())};
    case absl::StatusCode::kUnimplemented:
      return {.code = cursorwire::jsonrpc::kMethodNotFound,
              .message = std::string(status.message())};
    default:
      return TurnError(status);
  }
}

PeerError TurnError(const absl::Status& status) {
  const std::string code(cursorwire::connect::CodeText(status.code()));
  const bool no_login = status.code() == absl::StatusCode::kUnauthenticated;
  return {.code = no_login ? kAuthenticationRequired : cursorwire::jsonrpc::kInternalError,
          .message = std::string(status.message()),
          .data_json = WriteJson({{"code", code}})};
}

}  // namespace cursor_acp
