// Reads the tokens of a login, as the service or a file gives them.
//
// Input: JSON. It is refused, or what is read is written and read again as the same.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "client/auth/login_tokens.h"
#include "support/harness.h"

using cursorwire::LoginTokens;
using cursorwire::ParseLoginTokens;
using cursorwire::fuzz::Check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<LoginTokens> tokens =
      ParseLoginTokens(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!tokens.ok()) return 0;
  const absl::StatusOr<LoginTokens> again = ParseLoginTokens(WriteLoginTokens(*tokens));
  Check(again.ok());
  Check(again->access_token == tokens->access_token);
  Check(again->refresh_token == tokens->refresh_token);
  Check(again->api_key == tokens->api_key);
  return 0;
}
