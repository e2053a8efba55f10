#include "upstream/script/server_error.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "upstream/server/reply.h"
#include "wire/json.h"
#include "wire/proto_writer.h"

namespace cursorwire::upstream {
namespace {

std::string Quoted(std::string_view text) {
  std::string json;
  wire::AppendJsonString(text, json);
  return json;
}

std::string_view BoolText(bool value) { return value ? "true" : "false"; }

// ErrorDetails: 1 error, 2 details, 3 is_expected; CustomErrorDetails: 1 title, 2 detail,
// 4 is_retryable. Source: docs/protocol.md, end of a run.
std::string Encode(const ServerErrorDetail& detail) {
  wire::ProtoWriter custom;
  custom.Bytes(1, detail.title);
  custom.Bytes(2, detail.detail);
  if (detail.is_retryable) custom.Bool(4, *detail.is_retryable);
  wire::ProtoWriter details;
  if (detail.error != 0) details.Varint(1, detail.error);
  details.Bytes(2, custom.message());
  if (detail.is_expected) details.Bool(3, *detail.is_expected);
  return details.message();
}

std::string Base64(std::string_view bytes, bool padded) {
  std::string text = absl::Base64Escape(ToAbsl(bytes));
  while (!padded && text.ends_with('=')) text.pop_back();
  return text;
}

std::string DebugJson(const ServerErrorDetail& detail) {
  const std::string error =
      detail.error_name.empty() ? std::to_string(detail.error) : Quoted(detail.error_name);
  std::string json = absl::StrCat(R"({"error":)", error, R"(,"details":{"title":)",
                                  Quoted(detail.title), R"(,"detail":)", Quoted(detail.detail));
  if (detail.is_retryable) {
    absl::StrAppend(&json, R"(,"isRetryable":)", ToAbsl(BoolText(*detail.is_retryable)));
  }
  json += "}";
  if (detail.is_expected) {
    absl::StrAppend(&json, R"(,"isExpected":)", ToAbsl(BoolText(*detail.is_expected)));
  }
  return json + "}";
}

}  // namespace

std::string DetailJson(const ServerErrorDetail& detail) {
  std::string json = R"({"type":"aiserver.v1.ErrorDetails")";
  if (detail.with_value) {
    absl::StrAppend(&json, R"(,"value":")", Base64(Encode(detail), detail.padded), "\"");
  }
  if (detail.with_debug) absl::StrAppend(&json, R"(,"debug":)", DebugJson(detail));
  return json + "}";
}

std::string ErrorJson(std::string_view code, std::string_view message,
                      const std::vector<std::string>& details) {
  std::string json = ErrorJson(code, message);
  if (details.empty()) return json;
  json.pop_back();
  json += R"(,"details":[)";
  for (size_t i = 0; i < details.size(); ++i) absl::StrAppend(&json, i == 0 ? "" : ",", details[i]);
  return json + "]}";
}

}  // namespace cursorwire::upstream
