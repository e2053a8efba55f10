#ifndef CURSORWIRE_SRC_MCP_HTTP_MESSAGE_H_
#define CURSORWIRE_SRC_MCP_HTTP_MESSAGE_H_

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cursorwire::mcp {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// What is to be sent to the server's URL. A value.
struct HttpRequest {
  uint64_t id = 0;  // of the exchange
  std::string method{};
  HttpHeaders headers{};
  std::string body{};
  // It must not reach the server twice, whatever the connection does.
  bool once = false;
};

// What comes back, in this order: a head, pieces of the body, an end. The end alone if there was no
// answer.
struct HttpHead {
  int status = 0;
  std::string content_type{};  // without parameters, in lower case
  std::string session_id{};    // of Mcp-Session-Id
  std::string location{};      // where a redirect leads
  std::string authenticate{};  // of WWW-Authenticate: what a server wants to know of who asks
};
struct HttpBody {
  std::string bytes{};
};
struct HttpEnd {
  absl::Status status{};  // OK: the answer is complete
};
struct HttpEvent {
  uint64_t id = 0;
  std::variant<HttpHead, HttpBody, HttpEnd> what{};
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_MESSAGE_H_
