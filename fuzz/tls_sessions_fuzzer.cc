// Reads the file of TLS sessions.
//
// Input: the text. It is refused, or what is read is within the bounds, and is written and read
// again as the same.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "client/machine/tls_sessions.h"
#include "support/harness.h"

using cursorwire::TlsSessions;
using cursorwire::fuzz::Check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr TlsSessions::Time kNow{std::chrono::seconds(1'800'000'000)};
  const std::optional<TlsSessions> sessions =
      TlsSessions::Read(std::string_view(reinterpret_cast<const char*>(data), size), kNow);
  if (!sessions) return 0;
  Check(sessions->size() <= TlsSessions::kMaxSessions);
  Check(TlsSessions::Read(sessions->Write(), kNow) == sessions);
  return 0;
}
