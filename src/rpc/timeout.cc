#include "rpc/timeout.h"

#include <algorithm>
#include <cstdint>

namespace cursorwire::rpc {

std::string TimeoutHeader(std::chrono::milliseconds timeout) {
  constexpr int64_t kMax = 9'999'999'999;
  return std::to_string(std::clamp<int64_t>(timeout.count(), 0, kMax));
}

}  // namespace cursorwire::rpc
