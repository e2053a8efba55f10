// Decodes an end-stream envelope and the body of an HTTP error, and compares the JSON reader with
// nlohmann::json.
//
// Input: byte 0 chooses the HTTP status; the rest is the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "rpc/end_stream.h"
#include "rpc/error_json.h"
#include "rpc/limits.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "wire/json.h"

namespace {

using cursorwire::IsUtf8;
using cursorwire::connect::ErrorInfo;
using cursorwire::connect::GetErrorInfo;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::wire::Json;

constexpr int kHttpStatuses[] = {200, 0, 400, 401, 403, 404, 429, 500, 503, 999, -1};
constexpr size_t kMaxGrowth = 3;  // of JSON that is written again: "\b" becomes "\u0008"
constexpr size_t kMaxMessageBytes = size_t{9} * 1024;  // 8 KiB of the server's text, plus ours

std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

void CheckError(const absl::Status& status, size_t text_bytes) {
  Check(!status.ok());
  Check(IsUtf8(MessageOf(status)));
  Check(status.message().size() <= kMaxMessageBytes);
  const auto info = GetErrorInfo(status);
  Check(info.has_value());
  size_t bytes = info->unknown_code.size();
  for (const auto& detail : info->details) {
    bytes += detail.type.size() + detail.value.size() + detail.debug_json.size();
  }
  Check(bytes <= kMaxGrowth * text_bytes);
  // The serialized form keeps everything.
  absl::Status copy(status.code(), "");
  cursorwire::connect::SetErrorInfo(copy, *info);
  Check(GetErrorInfo(copy) == info);
}

bool IsOneLine(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

void DecodeEndStream(std::string_view text, int http_status) {
  const auto message = cursorwire::rpc::DecodeEndStream(text, http_status);
  if (!message.status.ok()) CheckError(message.status, text.size());
  size_t metadata_bytes = 0;
  for (const auto& [name, value] : message.metadata) metadata_bytes += name.size() + value.size();
  Check(metadata_bytes <= cursorwire::rpc::kMaxMetadataBytes);
}

void DecodeErrorBody(std::string_view text, int http_status) {
  const absl::Status status = cursorwire::rpc::StatusFromErrorBody(text, http_status);
  CheckError(status, text.size());
  const auto json = cursorwire::wire::ParseJson(text);
  if (!json.ok() || !json->is_object()) Check(IsOneLine(MessageOf(status)));
}

// JSON that nlohmann::json refuses although it is valid: numbers outside the range of a double, and
// escapes of lone surrogates, which RFC 8259 leaves to the reader.
bool RefusesTooMuch(const nlohmann::json::exception& error) {
  constexpr int kOutOfRangeNumber = 406;
  return error.id == kOutOfRangeNumber ||
         std::string_view(error.what()).find("surrogate") != std::string_view::npos;
}

// Text that nlohmann::json accepts although it is not JSON, or that exceeds our limits.
bool MayBeRefused(std::string_view text) {
  const auto opening =
      std::count(text.begin(), text.end(), '[') + std::count(text.begin(), text.end(), '{');
  return text.starts_with("\xEF\xBB\xBF") || text.find('\0') != text.npos ||
         opening > cursorwire::wire::kMaxJsonDepth ||
         text.size() > cursorwire::wire::kMaxJsonValues;
}

void CompareJson(std::string_view text) {
  const absl::StatusOr<Json> ours = cursorwire::wire::ParseJson(text);
  try {
    const nlohmann::json theirs = nlohmann::json::parse(text);
    Check(ours.ok() || MayBeRefused(text));
    if (!ours.ok() || MayBeRefused(text)) return;
    const std::string written = cursorwire::wire::WriteJson(*ours);
    Check(written.size() <= kMaxGrowth * text.size());
    Check(nlohmann::json::parse(written) == theirs);
  } catch (const nlohmann::json::exception& error) {
    Check(!ours.ok() || RefusesTooMuch(error));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const int http_status = kHttpStatuses[input.TakeByte() % std::size(kHttpStatuses)];
  const std::string_view text = input.TakeRest();
  DecodeEndStream(text, http_status);
  DecodeErrorBody(text, http_status);
  CompareJson(text);
  return 0;
}
