#include "cursorwire/chat_error.h"

#include "cursorwire/connect/error_info.h"

namespace cursorwire {

TurnEnding EndingOf(const absl::Status& status) {
  if (status.ok()) return TurnEnding::kCompleted;
  const connect::ErrorInfo info = connect::GetErrorInfo(status).value_or(connect::ErrorInfo{});
  if (absl::IsCancelled(status) && info.origin == connect::ErrorOrigin::kLocal) {
    return TurnEnding::kCancelled;
  }
  return info.origin == connect::ErrorOrigin::kTransport ? TurnEnding::kInterrupted
                                                         : TurnEnding::kFailed;
}

}  // namespace cursorwire
