#ifndef CURSORWIRE_SRC_RPC_ERROR_JSON_H_
#define CURSORWIRE_SRC_RPC_ERROR_JSON_H_

#include <absl/status/status.h>

#include <string_view>

#include "wire/json.h"

namespace cursorwire::rpc {

// The Status of a Connect error object, `{"code","message","details"}`.
//
// An unknown, missing or wrongly typed code becomes `default_code`; ErrorInfo keeps the text of an
// unknown code. A detail that does not decode is left out and never hides the error. `http_status`
// goes into ErrorInfo; 0 if there is no HTTP status.
// Source: Connect protocol, "Error end-stream"; docs/protocol.md, end of a run.
absl::Status StatusFromErrorJson(const wire::Json& error, absl::StatusCode default_code,
                                 int http_status);

// The Status of a response with HTTP status `http_status` (not 200). The body may be a Connect
// error, any other text, or empty. `location` is the header of that name, empty without one: where
// a redirect leads is told, without its query, which may hold secrets.
absl::Status StatusFromErrorBody(std::string_view body, int http_status,
                                 std::string_view location = "");

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_ERROR_JSON_H_
