// Reads the usage of an account, as the service gives it.
//
// Input: JSON. What is read keeps its bounds.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "client/auth/usage_json.h"
#include "support/harness.h"

using cursorwire::AccountUsage;
using cursorwire::ParseAccountUsage;
using cursorwire::fuzz::Check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<AccountUsage> usage =
      ParseAccountUsage(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!usage.ok()) return 0;
  const std::chrono::system_clock::time_point epoch;
  Check(!usage->cycle_start || *usage->cycle_start > epoch);
  Check(!usage->cycle_end || *usage->cycle_end > epoch);
  // Texts may grow by what stands for broken characters.
  Check(usage->message.size() <= 3 * size);
  return 0;
}
