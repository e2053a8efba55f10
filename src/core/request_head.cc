#include "core/request_head.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace cursorwire::core {

using connect::Header;
using connect::Headers;

absl::Status CheckRequest(const connect::CallRequest& request) {
  if (!request.path.starts_with('/')) {
    return LocalError(absl::StatusCode::kInvalidArgument, "the path of a call begins with '/'");
  }
  const connect::CallOptions& options = request.options;
  if (options.timeout.count() < 0 || options.idle_timeout.count() < 0) {
    return MakeError(absl::StatusCode::kDeadlineExceeded,
                     "the time of the call was over before it began",
                     {.origin = connect::ErrorOrigin::kLocal, .replay_safe = true});
  }
  return absl::OkStatus();
}

absl::StatusOr<Headers> MakeRequestHead(const connect::CallRequest& request,
                                        const rpc::ProtocolCall& protocol,
                                        const connect::ConnectionOptions& options) {
  const std::string_view query = protocol.get_query();
  const bool raw_get = request.kind == connect::CallKind::kRaw &&
                       request.options.http_method == connect::HttpMethod::kGet;
  const bool tls = options.security == connect::Security::kTls;
  Headers headers = {{":method", query.empty() && !raw_get ? "POST" : "GET"},
                     {":scheme", tls ? "https" : "http"},
                     {":authority", options.authority},
                     {":path", request.path + std::string(query)}};
  const Headers of_protocol = protocol.RequestHeaders();
  for (const Header& header : of_protocol) headers.Add(header.name, header.value);
  const Headers& own = request.options.headers;
  if (!options.http2.user_agent.empty() && !own.Get("user-agent")) {
    headers.Add("user-agent", options.http2.user_agent);
  }
  for (const Header& header : own) {
    if (of_protocol.Get(header.name) || header.name == "host") {
      return LocalError(absl::StatusCode::kInvalidArgument,
                        absl::StrCat("request header '", header.name, "' is set by the protocol"));
    }
    headers.Add(header.name, header.value);
  }
  return headers;
}

}  // namespace cursorwire::core
