#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_SATURATED_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_SATURATED_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cursorwire::workspace {

// Adds `more`, which must not be negative, but stops at the largest number instead of overflowing.
inline void AddSaturated(int32_t& count, int32_t more) {
  count += std::min(more, std::numeric_limits<int32_t>::max() - count);
}

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_SATURATED_H_
