#ifndef CURSORWIRE_SRC_BASE_URL_H_
#define CURSORWIRE_SRC_BASE_URL_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace cursorwire {

// Where a server is. A value.
struct Url {
  bool https = true;
  std::string host{};  // lower case, without brackets
  int port = 443;
  std::string path{};  // a prefix of all paths, without a slash at its end; often empty

  // Host, and port unless it is the scheme's, as HTTP/2 wants it.
  std::string authority() const;
  // "localhost", 127.0.0.0/8 or ::1.
  bool is_loopback() const;
};

// Takes "http://" and "https://" URLs. Query and fragment are cut off, and slashes at the end.
//   kInvalidArgument  another scheme, no host, a bad port, or a user name or password in it
absl::StatusOr<Url> ParseUrl(std::string_view text);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_URL_H_
