// Decodes the blob of a selected context. What was decoded must survive encoding and decoding
// again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "support/harness.h"
#include "wire/selected_context.h"

using cursorwire::fuzz::Check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto decoded =
      cursorwire::DecodeSelectedContextBlob({reinterpret_cast<const char*>(data), size});
  if (!decoded.ok()) return 0;
  const auto encoded = cursorwire::EncodeSelectedContextBlob(*decoded);
  Check(encoded.ok());
  const auto again = cursorwire::DecodeSelectedContextBlob(*encoded);
  Check(again.ok());
  Check(*again == *decoded);
  return 0;
}
