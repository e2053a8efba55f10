#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_REQUEST_CHECK_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_REQUEST_CHECK_H_

#include <optional>
#include <string>

#include "cursorwire/connect/headers.h"

namespace cursorwire::upstream {

// A refusal of a request by its headers.
struct Refusal {
  int http_status = 400;
  std::string code{};     // of the Connect error
  std::string message{};  // says what is wrong
};

// What a service that takes nothing but what docs/protocol.md (request headers) states would say to
// these headers of AgentService/Run; nullopt: nothing.
std::optional<Refusal> CheckRunRequest(const connect::Headers& headers);

// The same for a unary method; its path is known to be one.
std::optional<Refusal> CheckUnaryRequest(const connect::Headers& headers);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_REQUEST_CHECK_H_
