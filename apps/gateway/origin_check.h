#ifndef CURSORWIRE_APPS_GATEWAY_ORIGIN_CHECK_H_
#define CURSORWIRE_APPS_GATEWAY_ORIGIN_CHECK_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/http_message.h"

namespace cursor_gateway {

// By which names the gateway may be asked, and by pages of which origins. A value.
struct OwnNames {
  // It listens on this machine alone, so that it has no names but those of this machine and
  // `hosts`.
  bool is_loopback = true;
  std::vector<std::string> hosts{};    // without ports; addresses of IPv6 in brackets
  std::vector<std::string> origins{};  // pages that may ask and read, such as "app://notes.example"
  std::string public_origin{};         // of its own page, at the address of a proxy; empty: none
};

// Whether it is a name or an address, without a port.
bool IsHostName(std::string_view text);
// The host of an origin, with its port: "scheme://host[:port]". nullopt: it is none.
std::optional<std::string_view> HostOfOrigin(std::string_view origin);

// Refuses requests that a page of another site has a browser send: by a name that was made to lead
// here ("DNS rebinding"), or across sites.
//   an error of the API: 400 without a Host, 403 for one that is not ours or for a strange Origin
absl::Status CheckOrigin(const HttpHead& head, const OwnNames& names);

// What lets a page of one of `names.origins` read the answer. Empty: no such page asks. Source:
// the Fetch standard, "CORS protocol".
HttpFields CorsFields(const HttpHead& head, const OwnNames& names);
// The answer to the question of a browser whether such a page may send a request with one of
// `methods`. nullopt: the request is another.
std::optional<HttpAnswer> PreflightAnswer(const HttpHead& head, const OwnNames& names,
                                          std::string_view methods);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ORIGIN_CHECK_H_
