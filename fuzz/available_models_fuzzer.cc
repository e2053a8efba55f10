// Decodes an AvailableModels message. What was decoded must survive encoding and decoding again.
//
// Input: byte 0 chooses the message (even: request, odd: response); the rest is its bytes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "wire/available_models.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

// Compares bytes instead of structs: a price may be NaN, which does not equal itself.
template <typename Decode, typename Encode>
void RoundTrip(std::string_view bytes, Decode decode, Encode encode) {
  size_t unknown_fields = 0;
  const auto decoded = decode(bytes, &unknown_fields);
  if (!decoded.ok()) return;
  const std::string encoded = encode(*decoded);
  size_t none = 0;
  const auto again = decode(encoded, &none);
  Check(again.ok());
  Check(none == 0);
  Check(encode(*again) == encoded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const bool is_request = input.TakeByte() % 2 == 0;
  const std::string_view bytes = input.TakeRest();
  if (is_request) {
    RoundTrip(bytes, cursorwire::DecodeAvailableModelsRequest,
              cursorwire::EncodeAvailableModelsRequest);
  } else {
    RoundTrip(bytes, cursorwire::DecodeAvailableModelsResponse,
              cursorwire::EncodeAvailableModelsResponse);
  }
  return 0;
}
