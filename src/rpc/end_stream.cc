#include "rpc/end_stream.h"

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "rpc/error_json.h"
#include "rpc/limits.h"
#include "wire/json.h"

namespace cursorwire::rpc {
namespace {

absl::Status OverLimit(std::string_view what, size_t limit) {
  return MakeError(
      absl::StatusCode::kResourceExhausted,
      absl::StrCat("end-stream envelope", ToAbsl(what), " is over the limit of ", limit, " bytes"),
      {.origin = connect::ErrorOrigin::kProtocol});
}

//   kResourceExhausted  over kMaxMetadataBytes: a long name with many values is short only in JSON
absl::StatusOr<connect::Headers> DecodeMetadata(const wire::Json& metadata) {
  connect::Headers headers;
  size_t bytes = 0;
  for (const auto& [name, values] : metadata.members) {
    for (const wire::Json& value : values.items) {
      if (!value.is_string()) continue;
      bytes += name.size() + value.text.size();
      if (bytes > kMaxMetadataBytes) return OverLimit(": the metadata", kMaxMetadataBytes);
      headers.Add(name, value.text);
    }
  }
  return headers;
}

}  // namespace

EndStreamMessage DecodeEndStream(std::string_view payload, int http_status) {
  EndStreamMessage message;
  if (payload.size() > kMaxEndStreamBytes) {
    message.status = OverLimit(absl::StrCat(" of ", payload.size(), " bytes"), kMaxEndStreamBytes);
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
    absl::StatusOr<connect::Headers> headers = DecodeMetadata(*metadata);
    if (headers.ok()) {
      message.metadata = *std::move(headers);
    } else {
      message.status = headers.status();
    }
  }
  const wire::Json* error = json->Find("error");
  if (error != nullptr && !error->is_null()) {
    message.status = StatusFromErrorJson(*error, absl::StatusCode::kUnknown, http_status);
  }
  return message;
}

}  // namespace cursorwire::rpc
