#include "client/turn/retry_after.h"

#include <absl/time/time.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "base/strings.h"

namespace cursorwire {
namespace {

// As it is written today, and two forms that are obsolete.
constexpr const char* kDates[] = {"%a, %d %b %E4Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                  "%a %b %d %H:%M:%S %E4Y"};

}  // namespace

std::optional<std::chrono::milliseconds> ReadRetryAfter(std::string_view value,
                                                        std::chrono::system_clock::time_point now) {
  uint32_t seconds = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, seconds);
  if (error == std::errc() && rest == end) return std::chrono::seconds(seconds);
  for (const char* format : kDates) {
    absl::Time time;
    if (!absl::ParseTime(format, ToAbsl(value), &time, nullptr)) continue;
    const absl::Duration left = time - absl::FromChrono(now);
    return std::max(absl::ToChronoMilliseconds(left), std::chrono::milliseconds(0));
  }
  return std::nullopt;
}

}  // namespace cursorwire
