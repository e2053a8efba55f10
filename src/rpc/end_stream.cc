#include "rpc/end_stream.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "rpc/error_json.h"
#include "rpc/limits.h"
#include "wire/json.h"

namespace cursorwire::rpc {
namespace {

connect::Headers DecodeMetadata(const wire::Json& metadata) {
  connect::Headers headers;
  for (const auto& [name, values] : metadata.members) {
    for (const wire::Json& value : values.items) {
      if (value.is_string()) headers.Add(name, value.text);
    }
  }
  return headers;
}

}  // namespace

EndStreamMessage DecodeEndStream(std::string_view payload, int http_status) {
  EndStreamMessage message;
  if (payload.size() > kMaxEndStreamBytes) {
    message.status = MakeError(absl::StatusCode::kResourceExhausted,
                               absl::StrCat("end-stream envelope of ", payload.size(),
                                            " bytes is over the limit of ", kMaxEndStreamBytes),
                               {.origin = connect::ErrorOrigin::kProtocol});
    return message;
  }
  const absl::StatusOr<wire::Json> json = wire::ParseJson(payload);
  if (!json.ok()) {
    message.status = Annotate(json.status(), "end-stream envelope");
    return message;
  }
  if (!json->is_object()) {
    message.status = ProtocolError("end-stream envelope: not a JSON object");
    return message;
  }
  if (const wire::Json* metadata = json->Find("metadata")) {
    message.metadata = DecodeMetadata(*metadata);
  }
  const wire::Json* error = json->Find("error");
  if (error != nullptr && !error->is_null()) {
    message.status = StatusFromErrorJson(*error, absl::StatusCode::kUnknown, http_status);
  }
  return message;
}

}  // namespace cursorwire::rpc
