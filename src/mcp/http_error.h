#ifndef CURSORWIRE_SRC_MCP_HTTP_ERROR_H_
#define CURSORWIRE_SRC_MCP_HTTP_ERROR_H_

#include <string>
#include <string_view>

#include "http/message.h"

namespace cursorwire::mcp {

// What an answer with a status that is no success says, in one line for people and models: the
// status; the text of the body; of 401 and 403 the reason in WWW-Authenticate and what can be done,
// which depends on whether the configuration has headers; of a redirect where it leads.
enum class ConfiguredHeaders { kNone, kSome };
std::string HttpErrorText(const http::Head& head, std::string_view body, ConfiguredHeaders headers);

// Whether the body of an error says that the session of the request is lost: the specification
// wants 404 for that, but servers that were made from older examples answer 400 and such a text.
// Source: docs/mcp.md, servers over HTTP.
bool SaysThatSessionIsLost(std::string_view body);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_ERROR_H_
