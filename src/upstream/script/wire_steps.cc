#include "upstream/script/wire_steps.h"

#include <absl/strings/str_cat.h>

#include <limits>
#include <utility>

#include "upstream/script/json_fields.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {
namespace {

using What = ScriptStep::What;

// The error codes of RFC 9113, section 7, in numerical order.
constexpr std::string_view kHttp2Codes[] = {"NO_ERROR",
                                            "PROTOCOL_ERROR",
                                            "INTERNAL_ERROR",
                                            "FLOW_CONTROL_ERROR",
                                            "SETTINGS_TIMEOUT",
                                            "STREAM_CLOSED",
                                            "FRAME_SIZE_ERROR",
                                            "REFUSED_STREAM",
                                            "CANCEL",
                                            "COMPRESSION_ERROR",
                                            "CONNECT_ERROR",
                                            "ENHANCE_YOUR_CALM",
                                            "INADEQUATE_SECURITY",
                                            "HTTP_1_1_REQUIRED"};

absl::StatusOr<uint32_t> ReadHttp2Code(const Json& json, const std::string& where) {
  if (json.is_number_unsigned() && json <= std::numeric_limits<uint32_t>::max()) {
    return json.get<uint32_t>();
  }
  for (size_t i = 0; json.is_string() && i < std::size(kHttp2Codes); ++i) {
    if (kHttp2Codes[i] == json.get<std::string>()) return static_cast<uint32_t>(i);
  }
  return BadScript(
      absl::StrCat(where, " must be a code of HTTP/2: a number, or a name such as CANCEL"));
}

}  // namespace

absl::StatusOr<What> ReadEnvelopeStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const int64_t flags = fields.Integer("flags", 0, 255).value_or(0);
  const std::string payload = fields.Bytes().value_or("");
  const auto length = fields.Integer("length", 0, std::numeric_limits<uint32_t>::max());
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  SendBody body{.bytes = {}, .ends_stream = (flags & wire::kEnvelopeEndStream) != 0};
  (void)wire::AppendEnvelope(static_cast<uint8_t>(flags), payload, body.bytes);
  for (size_t i = 0; length && i < 4; ++i) {
    body.bytes[1 + i] = static_cast<char>(*length >> (8 * (3 - i)) & 0xFF);
  }
  return What(std::move(body));
}

absl::StatusOr<What> ReadRawBodyStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  SendBody body{.bytes = fields.RequiredBytes(), .ends_stream = false};
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(std::move(body));
}

absl::StatusOr<What> ReadRawConnectionStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  SendConnectionBytes connection{fields.RequiredBytes()};
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(std::move(connection));
}

absl::StatusOr<What> ReadSplitStep(const StepInput& in) {
  if (!in.value.is_number_unsigned() || in.value > kMaxInteger) {
    return BadScript("split must be a number of bytes");
  }
  return What(Split{in.value.get<size_t>()});
}

absl::StatusOr<What> ReadResetStep(const StepInput& in) {
  const absl::StatusOr<uint32_t> code = ReadHttp2Code(in.value, in.name);
  if (!code.ok()) return code.status();
  return What(ResetStream{*code});
}

absl::StatusOr<What> ReadGoAwayStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  SendGoAway goaway{.debug_data = fields.String("debug", "")};
  if (const Json* code = fields.Find("code")) {
    const absl::StatusOr<uint32_t> number = ReadHttp2Code(*code, in.name + ".code");
    if (!number.ok()) return number.status();
    goaway.http2_code = *number;
  }
  const Json* last = fields.Find("last_stream");
  if (last != nullptr && *last == "before") {
    goaway.last_stream = SendGoAway::LastStream::kBefore;
  } else if (last != nullptr && *last != "this") {
    goaway.last_stream = SendGoAway::LastStream::kNumber;
    goaway.number = static_cast<int32_t>(fields.Integer("last_stream", 0, kMaxInteger).value_or(0));
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(std::move(goaway));
}

absl::StatusOr<What> ReadDropStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const Drop drop{fields.Bool("reset").value_or(false)};
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(drop);
}

}  // namespace cursorwire::upstream
