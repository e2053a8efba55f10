#ifndef CURSORWIRE_SRC_AGENT_RUN_REQUEST_HEADERS_H_
#define CURSORWIRE_SRC_AGENT_RUN_REQUEST_HEADERS_H_

#include "cursorwire/connect/headers.h"
#include "cursorwire/run_options.h"

namespace cursorwire::agent {

// The headers of one request to the service, after those of the Connect protocol.
// Source: docs/protocol.md, request headers.
connect::Headers RequestHeaders(const RunOptions& options, std::string_view request_id);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_REQUEST_HEADERS_H_
