#ifndef CURSORWIRE_SRC_BASE_URL_H_
#define CURSORWIRE_SRC_BASE_URL_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

namespace cursorwire {

// The address of a server. A value.
struct Url {
  bool https = true;
  std::string host{};  // lower case, without brackets
  int port = 443;
  std::string path{};  // a prefix of all paths, without a trailing slash; often empty

  // The host, followed by the port unless it is the scheme's default, as in HTTP/2.
  std::string authority() const;
  // The host and the port, an address of IPv6 in brackets.
  std::string address() const;
  // "localhost", 127.0.0.0/8 or ::1.
  bool is_loopback() const;
};

// The pieces of "SCHEME://USER@HOST:PORT/PATH?QUERY#FRAGMENT", unchecked. Views of the text.
struct UrlPieces {
  std::string_view scheme{};
  std::string_view authority{};            // user, host and port
  std::optional<std::string_view> user{};  // with a password, without the '@'
  std::string_view host_and_port{};
  std::string_view rest{};  // from the path on
};

// nullopt: there is no "://".
std::optional<UrlPieces> SplitUrl(std::string_view text);

// Parses an "http://" or "https://" URL. Query, fragment and trailing slashes are cut off.
//   kInvalidArgument  another scheme, no host, a bad port, or a user name or password in the URL
absl::StatusOr<Url> ParseUrl(std::string_view text);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_URL_H_
