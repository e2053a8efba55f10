#include "error_envelope.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "frame.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::Headers;

constexpr char kEndStreamFlag = 0x02;  // Connect protocol, "Streaming RPCs"

}  // namespace

std::string ErrorEnvelope(std::string_view code, std::string_view message) {
  nlohmann::ordered_json error;
  error["code"] = std::string(code);
  error["message"] = std::string(message);
  nlohmann::ordered_json body;
  body["error"] = std::move(error);
  const std::string json =
      body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  // The length of an envelope is written as that of a frame.
  const auto length = FramePrefix(static_cast<uint32_t>(json.size()));
  std::string envelope(1, kEndStreamFlag);
  envelope.append(length.data(), length.size());
  return envelope + json;
}

std::optional<std::string> HeaderDetail(const Headers& fields) {
  // Source: gRPC over HTTP/2, "Percent-Encoded".
  if (const auto text = fields.Get("grpc-message"); text && !cursorwire::Trim(*text).empty()) {
    return cursorwire::PercentDecode(cursorwire::Trim(*text)).substr(0, kMaxErrorDetailBytes);
  }
  if (const auto text = fields.Get("connect-error-message");
      text && !cursorwire::Trim(*text).empty()) {
    return std::string(cursorwire::Trim(*text).substr(0, kMaxErrorDetailBytes));
  }
  return std::nullopt;
}

std::string HttpErrorDetail(const Headers& headers, const Headers& trailers,
                            std::string_view body) {
  for (const Headers* fields : {&headers, &trailers}) {
    if (auto detail = HeaderDetail(*fields)) return *std::move(detail);
  }
  const std::string_view text = cursorwire::Trim(body).substr(0, kMaxErrorDetailBytes);
  return text.empty() ? "no details were sent" : std::string(text);
}

std::string HttpErrorCode(int http_status) { return "http_" + std::to_string(http_status); }

std::string HttpErrorMessage(int http_status, std::string_view detail) {
  return "Cursor HTTP " + std::to_string(http_status) + ": " + std::string(detail);
}

std::string GoAwayMessage(uint32_t http2_code) {
  return "The server is closing the HTTP/2 connection (GOAWAY, errorCode=" +
         std::to_string(http2_code) + "). This is retriable.";
}

}  // namespace h2_bridge
