#include "mcp/restart_policy.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"

namespace cursorwire::mcp {
namespace {

using connect::After;
using connect::TimePoint;
using std::chrono::milliseconds;

// A server that ran so long has not failed because of its start.
constexpr milliseconds kGoodRun{60'000};

milliseconds PauseAfter(size_t ends, const RestartPauses& pauses) {
  milliseconds pause = pauses.first;
  for (size_t i = 1; i < ends && pause < pauses.longest; ++i) {
    pause = pause > pauses.longest / 2 ? pauses.longest : pause * 2;
  }
  return std::min(pause, pauses.longest);
}

}  // namespace

void RestartPolicy::OnEnd(TimePoint now) {
  if (now - started_at_ >= kGoodRun) ends_ = 0;
  // The first time it may be started again at once.
  next_at_ = ends_ == 0 ? now : After(now, PauseAfter(ends_, pauses_));
  ++ends_;
  next_try_at_ = After(now, PauseAfter(ends_, pauses_));
}

absl::Status RestartPolicy::Check(TimePoint now) const {
  if (now >= next_at_) return absl::OkStatus();
  const auto left = std::chrono::ceil<std::chrono::seconds>(next_at_ - now);
  return LocalError(absl::StatusCode::kUnavailable,
                    absl::StrCat("it has ended and may be started again in ", left.count(), " s"));
}

bool RestartPolicy::TakeTurnTry(TimePoint now) {
  if (turn_tried_at_ && now < After(*turn_tried_at_, pauses_.first)) return false;
  turn_tried_at_ = now;
  return true;
}

}  // namespace cursorwire::mcp
