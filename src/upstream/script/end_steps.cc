#include "upstream/script/end_steps.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "agent/events/error_names.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "upstream/script/json_fields.h"
#include "upstream/script/server_error.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {
namespace {

using What = ScriptStep::What;

constexpr int kCodes = 16;  // Connect protocol, "Error codes"; absl's numbers are 1 to 16
constexpr size_t kMaxQuotedCodeBytes = 40;

absl::StatusOr<std::string> ReadDetail(const Json& json, const std::string& where) {
  JsonFields fields(json, where);
  if (const Json* raw = fields.Find("raw")) {
    if (absl::Status status = fields.Finish(); !status.ok()) return status;
    return raw->dump();
  }
  ServerErrorDetail detail{.title = fields.String("title", ""),
                           .detail = fields.String("detail", ""),
                           .is_retryable = fields.Bool("is_retryable"),
                           .is_expected = fields.Bool("is_expected"),
                           .padded = fields.Bool("padded").value_or(false),
                           .with_value = fields.Bool("value").value_or(true),
                           .with_debug = fields.Bool("debug").value_or(false)};
  if (const Json* error = fields.Find("error"); error != nullptr && error->is_string()) {
    detail.error_name = error->get<std::string>();
    const std::optional<uint32_t> number = agent::ErrorNumber(detail.error_name);
    if (!number) fields.Fail(absl::StrCat("has no error ", detail.error_name));
    detail.error = number.value_or(0);
  } else if (error != nullptr) {
    detail.error = static_cast<uint32_t>(fields.Integer("error", 0, kMaxInteger).value_or(0));
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return DetailJson(detail);
}

// Refers to another step, for tests of a client that must cope with such a code.
std::string UnknownCode(const std::string& code) {
  std::string message =
      absl::StrCat("has no code '", Printable(code, kMaxQuotedCodeBytes), "'; the codes are ");
  for (int number = 1; number <= kCodes; ++number) {
    absl::StrAppend(&message, number == 1 ? "" : ", ",
                    ToAbsl(connect::CodeText(static_cast<absl::StatusCode>(number))));
  }
  return message + "; end_stream with json sends any other";
}

// Reads the members of a Connect error object.
absl::StatusOr<std::string> ReadErrorJson(const Json& json, const std::string& where) {
  JsonFields fields(json, where);
  const std::string code = fields.RequiredString("code");
  const std::string message = fields.String("message", "Error");
  std::vector<std::string> details;
  if (const Json* list = fields.Find("details")) {
    if (!list->is_array()) fields.Fail("wants a list as details");
    for (size_t i = 0; list->is_array() && i < list->size(); ++i) {
      absl::StatusOr<std::string> detail =
          ReadDetail((*list)[i], absl::StrCat(where, ".details[", i, "]"));
      if (!detail.ok()) return detail.status();
      details.push_back(*std::move(detail));
    }
  }
  if (!connect::CodeFromText(code)) fields.Fail(UnknownCode(code));
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return ErrorJson(code, message, details);
}

What EndStreamStep(std::string_view payload) {
  SendBody body{.bytes = {}, .ends_stream = true};
  // Fails only above four gigabytes.
  (void)wire::AppendEnvelope(wire::kEnvelopeEndStream, payload, body.bytes);
  return body;
}

absl::StatusOr<connect::Headers> ReadHeaders(const Json& json, const std::string& where) {
  connect::Headers headers;
  if (!json.is_object()) return BadScript(where + " must be an object");
  for (const auto& [name, value] : json.items()) {
    const std::vector<Json> values =
        value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json>{value};
    for (const Json& one : values) {
      if (!one.is_string()) return BadScript(absl::StrCat(where, ".", name, " must be a string"));
      headers.Add(ToLower(name), one.get<std::string>());
    }
  }
  return headers;
}

}  // namespace

absl::StatusOr<What> ReadErrorStep(const StepInput& in) {
  const absl::StatusOr<std::string> error = ReadErrorJson(in.value, in.name);
  if (!error.ok()) return error.status();
  return EndStreamStep(absl::StrCat(R"({"error":)", *error, "}"));
}

absl::StatusOr<What> ReadEndStreamStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  std::optional<std::string> payload = fields.Bytes();
  const Json* json = fields.Find("json");
  if (json != nullptr && payload) fields.Fail("has more than one payload");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  if (json != nullptr) payload = json->dump();
  return EndStreamStep(payload.value_or("{}"));
}

absl::StatusOr<What> ReadResponseHeadersStep(const StepInput& in) {
  absl::StatusOr<connect::Headers> headers = ReadHeaders(in.value, in.name);
  if (!headers.ok()) return headers.status();
  return What(ResponseHeaders{*std::move(headers)});
}

absl::StatusOr<What> ReadHttpStatusStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const auto status_code = fields.Integer("status", 200, 599);
  if (!status_code) fields.Fail("wants a status");
  const Json* error = fields.Find("error");
  const Json* headers_json = fields.Find("headers");
  std::optional<std::string> body = fields.Bytes();
  if (error != nullptr && body) fields.Fail("has more than one body");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  HttpReply reply;
  reply.headers.Add(":status", std::to_string(*status_code));
  bool has_type = false;
  if (headers_json != nullptr) {
    const absl::StatusOr<connect::Headers> headers =
        ReadHeaders(*headers_json, in.name + ".headers");
    if (!headers.ok()) return headers.status();
    has_type = headers->Get("content-type").has_value();
    for (const connect::Header& header : *headers) reply.headers.Add(header.name, header.value);
  }
  if (error != nullptr) {
    absl::StatusOr<std::string> json = ReadErrorJson(*error, in.name + ".error");
    if (!json.ok()) return json.status();
    body = *std::move(json);
    if (!has_type) reply.headers.Add("content-type", "application/json");
  }
  reply.body = body.value_or("");
  return What(std::move(reply));
}

}  // namespace cursorwire::upstream
