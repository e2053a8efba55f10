#include "request.h"

namespace h2_bridge {

using cursorwire::connect::CallKind;
using cursorwire::connect::CallRequest;

CallRequest MakeRequest(const Config& config, std::string_view access_token,
                        std::string_view client_version, std::string_view request_id) {
  CallRequest request{.path = config.path, .kind = CallKind::kRaw};
  // HTTP does not allow a space at the end of a value.
  const std::string credentials =
      access_token.empty() ? "Bearer" : "Bearer " + std::string(access_token);
  request.options.headers = {
      {"content-type", config.unary ? "application/proto" : "application/connect+proto"},
      {"connect-protocol-version", "1"},
      {"te", "trailers"},
      {"authorization", credentials},
      {"x-ghost-mode", "true"},
      {"x-cursor-client-version", std::string(client_version)},
      {"x-cursor-client-type", "cli"},
      {"x-request-id", std::string(request_id)}};
  return request;
}

std::string FormatUuid(const std::array<uint8_t, 16>& random) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<uint8_t, 16> bytes = random;
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3F) | 0x80);
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    text.push_back(kDigits[bytes[i] >> 4]);
    text.push_back(kDigits[bytes[i] & 0x0F]);
  }
  return text;
}

}  // namespace h2_bridge
