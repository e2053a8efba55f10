#include "commands/clock_skew.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <string>

namespace cursor_chat {

void ClockSkew::OnHead(const cursorwire::connect::CallRecord&,
                       const cursorwire::connect::Headers& headers) {
  const auto date = headers.Get("date");
  absl::Time time;
  // Source: RFC 9110, 5.6.7.
  if (!date || !absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", std::string(*date), &time, nullptr)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  skew_ = std::chrono::seconds(absl::ToInt64Seconds(absl::Now() - time));
}

std::optional<std::chrono::seconds> ClockSkew::skew() const {
  const std::lock_guard lock(mutex_);
  return skew_;
}

}  // namespace cursor_chat
