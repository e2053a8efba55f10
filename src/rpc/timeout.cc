#include "rpc/timeout.h"

#include <algorithm>
#include <cstdint>

namespace cursorwire::rpc {

std::string TimeoutHeader(std::chrono::milliseconds timeout) {
  constexpr int64_t kMax = 9'999'999'999;
  return std::to_string(std::clamp<int64_t>(timeout.count(), 0, kMax));
}

void AddTimeoutHeader(const connect::CallOptions& options, connect::Headers& headers) {
  if (options.timeout.count() <= 0) return;
  if (options.announce_timeout == connect::AnnounceTimeout::kNo) return;
  headers.Add("connect-timeout-ms", TimeoutHeader(options.timeout));
}

}  // namespace cursorwire::rpc
