#ifndef CURSORWIRE_APPS_H2_BRIDGE_ERROR_ENVELOPE_H_
#define CURSORWIRE_APPS_H2_BRIDGE_ERROR_ENVELOPE_H_

#include <cursorwire/connect/headers.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2_bridge {

// What is kept of the body of an HTTP error, and told of what a server says of it.
inline constexpr size_t kMaxErrorDetailBytes = size_t{64} * 1024;

// A Connect end-stream envelope (flag 0x02) with an error of this code and text. Bytes of the text
// that are not UTF-8 become U+FFFD.
std::string ErrorEnvelope(std::string_view code, std::string_view message);

// The text of `grpc-message`, with its percent encoding removed, or `connect-error-message`;
// nullopt: there is neither, or it is empty.
std::optional<std::string> HeaderDetail(const cursorwire::connect::Headers& fields);

// What a server says of an HTTP error: `grpc-message`, with its percent encoding removed, or
// `connect-error-message`, each of the headers or else of the trailers; else the body without the
// space around it; else a fixed text. At most kMaxErrorDetailBytes.
std::string HttpErrorDetail(const cursorwire::connect::Headers& headers,
                            const cursorwire::connect::Headers& trailers, std::string_view body);

// "http_401" and "Cursor HTTP 401: <detail>".
std::string HttpErrorCode(int http_status);
std::string HttpErrorMessage(int http_status, std::string_view detail);

// Of a GOAWAY that ended a run.
std::string GoAwayMessage(uint32_t http2_code);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_ERROR_ENVELOPE_H_
