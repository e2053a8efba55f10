#include "client/turn/recovery.h"

#include <algorithm>
#include <utility>

#include "agent/events/cursor_error.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"

namespace cursorwire {
namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;

constexpr int kDoublings = 20;
// How a load balancer answers a request that is not HTTP/2. Source: docs/protocol.md, endpoint.
constexpr int kLoadBalancerStatus = 464;

// No connection was made: neither refused by the server nor lost.
bool IsUnreachable(const absl::Status& status) {
  const std::optional<ErrorInfo> info = connect::GetErrorInfo(status);
  return info && info->origin == ErrorOrigin::kTransport && info->replay_safe && !info->http2_code;
}

std::chrono::milliseconds Delay(const RetryPolicy& policy, int retry, double random) {
  const double most =
      std::min<double>(static_cast<double>(policy.max_delay.count()),
                       static_cast<double>(policy.first_delay.count()) *
                           static_cast<double>(1 << std::clamp(retry, 0, kDoublings)));
  return std::chrono::milliseconds(static_cast<int64_t>(std::clamp(random, 0.0, 1.0) * most));
}

}  // namespace

bool IsBlobLost(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInternal &&
         ToStd(status.message()).find("Blob not found") != std::string_view::npos;
}

bool IsTokenRefused(const absl::Status& status) {
  const std::optional<ErrorInfo> info = connect::GetErrorInfo(status);
  return status.code() == absl::StatusCode::kUnauthenticated && info &&
         info->origin == ErrorOrigin::kServer;
}

bool IsTemporary(const absl::Status& status, bool has_retry_after) {
  const std::optional<ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return false;
  if (info->origin == ErrorOrigin::kTransport) return true;
  if (info->origin != ErrorOrigin::kServer || info->http_status == kLoadBalancerStatus)
    return false;
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kCancelled:
      return false;
    default:
      break;
  }
  const std::optional<CursorError> details = agent::FindCursorError(*info);
  if (details && details->is_retryable) return *details->is_retryable;
  return status.code() == absl::StatusCode::kUnavailable || has_retry_after;
}

std::optional<Retrying> Recovery::OnFailure(const FailedAttempt& attempt, double random) {
  reached_service_ = reached_service_ || attempt.reached_service;
  if (retries_ >= policy_.max_retries) return std::nullopt;
  if (attempt.retry_after && *attempt.retry_after > policy_.max_delay) return std::nullopt;
  if (!reached_service_ && IsUnreachable(attempt.status) && !policy_.retry_first_connection) {
    return std::nullopt;
  }
  const bool lost = attempt.state_lost || IsBlobLost(attempt.status);
  std::optional<RetryKind> kind;
  if (lost) {
    kind = StartAnew(attempt);
  } else if (IsTemporary(attempt.status, attempt.retry_after.has_value())) {
    kind = Prepare(attempt);
  }
  if (!kind) return std::nullopt;
  const std::chrono::milliseconds delay = Delay(policy_, retries_, random);
  return Retrying{
      .retry = ++retries_,
      .max_retries = policy_.max_retries,
      .kind = *kind,
      .delay = std::max(delay, attempt.retry_after.value_or(std::chrono::milliseconds(0))),
      .reason = attempt.status};
}

std::optional<RetryKind> Recovery::OnRefusedToken(const FailedAttempt& attempt) {
  reached_service_ = true;
  return Prepare(attempt);
}

std::optional<RetryKind> Recovery::Prepare(const FailedAttempt& attempt) {
  const RunProgress& progress = attempt.progress;
  if (progress.truncated) return std::nullopt;
  if (progress.tools_since) return Continue(attempt);
  if (!progress.checkpoint.empty()) {
    next_.id = attempt.conversation_id;
    next_.state = progress.checkpoint;
    next_.turns_since_state.clear();  // it holds them
    next_.start = RunStart::kResume;
    next_.items = progress.held;
  }
  const bool resumes = next_.start == RunStart::kResume;
  if (attempt.text_since && !resumes) return std::nullopt;
  if (next_.id.empty()) next_.id = attempt.conversation_id;
  if (resumes) return RetryKind::kResume;
  return next_.start == RunStart::kContinue ? RetryKind::kContinue : RetryKind::kRepeat;
}

std::optional<RetryKind> Recovery::Continue(const FailedAttempt& attempt) {
  if (attempt.progress.text_since_tools) return std::nullopt;
  next_.id.clear();  // the history is told anew: another conversation for the service
  next_.state.clear();
  next_.start = RunStart::kContinue;
  next_.items = attempt.progress.turn.items;
  return RetryKind::kContinue;
}

void Recovery::OnLateResults(const RunProgress& progress) {
  if (next_.start == RunStart::kContinue) next_.items = progress.turn.items;
}

std::optional<RetryKind> Recovery::StartAnew(const FailedAttempt& attempt) {
  const RunProgress& progress = attempt.progress;
  // Without a former state there is nothing that a new one could mend.
  if (next_.state.empty() || progress.truncated) return std::nullopt;
  if (attempt.text_since || !progress.checkpoint.empty()) return std::nullopt;
  if (progress.tools_since || next_.start == RunStart::kResume) return Continue(attempt);
  next_.id.clear();
  next_.state.clear();
  return RetryKind::kRepeat;
}

}  // namespace cursorwire
