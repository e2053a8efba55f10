#ifndef CURSORWIRE_SRC_HTTP_MESSAGE_H_
#define CURSORWIRE_SRC_HTTP_MESSAGE_H_

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cursorwire::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// What is to be sent to the server's URL. A value.
struct Request {
  uint64_t id = 0;  // of the exchange
  std::string method{};
  Headers headers{};
  std::string body{};
  // It must not reach the server twice, whatever the connection does.
  bool once = false;
};

// What comes back, in this order: a head, pieces of the body, an end. The end alone if there was no
// answer.
struct Head {
  int status = 0;
  std::string content_type{};  // without parameters, in lower case
  std::string session_id{};    // of Mcp-Session-Id
  std::string location{};      // where a redirect leads
  std::string authenticate{};  // of WWW-Authenticate: what a server wants to know of who asks
};
struct Body {
  std::string bytes{};
};
struct End {
  absl::Status status{};  // OK: the answer is complete
};
struct Event {
  uint64_t id = 0;
  std::variant<Head, Body, End> what{};
};

}  // namespace cursorwire::http

#endif  // CURSORWIRE_SRC_HTTP_MESSAGE_H_
