#include "upstream/script/step_reader.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <limits>

#include "base/error.h"
#include "base/strings.h"
#include "upstream/script/json_fields.h"
#include "upstream/script/mcp_arguments.h"

namespace cursorwire::upstream {

absl::Status BadScript(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument, what);
}

absl::Status ReadMessage(const Json& json, std::string_view where,
                         google::protobuf::Message& message) {
  const google::protobuf::LogSilencer silencer;
  Json mapped = json;
  if (absl::Status status = PackMcpArguments(*message.GetDescriptor(), mapped); !status.ok()) {
    return Annotate(status, where);
  }
  const std::string text = mapped.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto status = google::protobuf::util::JsonStringToMessage(text, &message);
  if (status.ok()) return absl::OkStatus();
  return BadScript(absl::StrCat(ToAbsl(where), " is no ", message.GetDescriptor()->full_name(),
                                ": ", std::string(status.message())));
}

absl::Status AddUnknownField(const Json& json, google::protobuf::Message& message) {
  JsonFields fields(json, "unknown_field");
  const auto number = fields.Integer("number", 1, (1 << 29) - 1);
  const auto varint = fields.Integer("varint", 0, std::numeric_limits<int64_t>::max());
  const std::optional<std::string> bytes = fields.Bytes();
  if (!number) fields.Fail("wants a number");
  if (varint.has_value() == bytes.has_value()) {
    fields.Fail("wants one of text, hex, base64 and varint");
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  google::protobuf::UnknownFieldSet* unknown =
      message.GetReflection()->MutableUnknownFields(&message);
  if (varint) {
    unknown->AddVarint(static_cast<int>(*number), static_cast<uint64_t>(*varint));
  } else {
    unknown->AddLengthDelimited(static_cast<int>(*number), *bytes);
  }
  return absl::OkStatus();
}

absl::Status CheckEmpty(const StepInput& in) { return JsonFields(in.value, in.name).Finish(); }

}  // namespace cursorwire::upstream
