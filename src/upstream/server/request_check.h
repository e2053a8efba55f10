#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_REQUEST_CHECK_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_REQUEST_CHECK_H_

#include <optional>
#include <string>

#include "cursorwire/connect/headers.h"

namespace cursorwire::upstream {

// Why a request is refused because of its headers.
struct Refusal {
  int http_status = 400;
  std::string code{};     // the code of the Connect error
  std::string message{};  // says what is wrong
};

// Checks these headers of AgentService/Run as a service would that accepts only what
// docs/protocol.md (request headers) states; nullopt: they are right.
std::optional<Refusal> CheckRunRequest(const connect::Headers& headers);

// The same for a unary method. The path must be that of a unary method.
std::optional<Refusal> CheckUnaryRequest(const connect::Headers& headers);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_REQUEST_CHECK_H_
