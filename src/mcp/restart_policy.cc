#include "mcp/restart_policy.h"

#include <absl/strings/str_cat.h>

#include <chrono>

#include "base/error.h"

namespace cursorwire::mcp {
namespace {

constexpr std::chrono::milliseconds kFirstPause{1'000};
// A server that ran so long has not failed because of its start.
constexpr std::chrono::milliseconds kGoodRun{60'000};
constexpr size_t kMaxEndsInARow = 5;

}  // namespace

void RestartPolicy::OnEnd(connect::TimePoint now) {
  if (now - started_at_ >= kGoodRun) ends_ = 0;
  // The first time it may be started again at once.
  next_at_ = ends_ == 0 ? now : connect::After(now, kFirstPause * (1 << (ends_ - 1)));
  ++ends_;
}

absl::Status RestartPolicy::Check(connect::TimePoint now) const {
  using enum absl::StatusCode;
  if (ends_ >= kMaxEndsInARow) {
    return LocalError(kUnavailable, absl::StrCat("it has ended ", ends_,
                                                 " times in a row and is not started again"));
  }
  if (now >= next_at_) return absl::OkStatus();
  const auto left = std::chrono::ceil<std::chrono::seconds>(next_at_ - now);
  return LocalError(kUnavailable,
                    absl::StrCat("it has ended and may be started again in ", left.count(), " s"));
}

}  // namespace cursorwire::mcp
