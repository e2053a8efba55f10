#include "agent/run/request_headers.h"

namespace cursorwire::agent {

connect::Headers RequestHeaders(const RunOptions& options, std::string_view request_id) {
  connect::Headers headers;
  headers.Add("te", "trailers");
  headers.Add("authorization", "Bearer " + options.token);
  headers.Add("x-ghost-mode", options.ghost_mode ? "true" : "false");
  headers.Add("x-cursor-client-version", options.client_version);
  headers.Add("x-cursor-client-type", "cli");
  headers.Add("x-request-id", request_id);
  for (const connect::Header& header : options.extra_headers) {
    headers.Add(header.name, header.value);
  }
  return headers;
}

}  // namespace cursorwire::agent
