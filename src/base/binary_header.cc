#include "cursorwire/connect/headers.h"

#include <absl/strings/escaping.h>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::connect {

std::string EncodeBinaryHeader(std::string_view bytes) {
  std::string value = absl::Base64Escape(ToAbsl(bytes));
  while (value.ends_with('=')) value.pop_back();
  return value;
}

absl::StatusOr<std::string> DecodeBinaryHeader(std::string_view value) {
  std::string bytes;
  if (absl::Base64Unescape(ToAbsl(value), &bytes)) return bytes;
  return LocalError(absl::StatusCode::kInvalidArgument, "the value of the header is no base64");
}

}  // namespace cursorwire::connect
