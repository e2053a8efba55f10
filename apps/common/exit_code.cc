#include "common/exit_code.h"

#include <cursorwire/connect/error_info.h>

namespace cursor_apps {

using cursorwire::connect::ErrorInfo;
using cursorwire::connect::ErrorOrigin;

ExitCode ExitCodeOf(const absl::Status& status) {
  const ErrorInfo info = cursorwire::connect::GetErrorInfo(status).value_or(ErrorInfo{});
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return kExitUnauthenticated;
    case absl::StatusCode::kUnavailable:
      return kExitUnavailable;
    case absl::StatusCode::kDeadlineExceeded:
      return kExitDeadline;
    case absl::StatusCode::kResourceExhausted:
      return kExitResourceExhausted;
    case absl::StatusCode::kInvalidArgument:
      if (info.origin == ErrorOrigin::kLocal) return kExitUsage;
      break;
    default:
      break;
  }
  return info.origin == ErrorOrigin::kProtocol ? kExitProtocol : kExitOther;
}

}  // namespace cursor_apps
