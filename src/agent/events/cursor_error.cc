#include "agent/events/cursor_error.h"

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "agent/events/error_names.h"
#include "base/strings.h"
#include "wire/json.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

constexpr std::string_view kType = "aiserver.v1.ErrorDetails";
// Fields of ErrorDetails.
constexpr uint32_t kError = 1;
constexpr uint32_t kDetails = 2;
constexpr uint32_t kIsExpected = 3;
// Fields of CustomErrorDetails.
constexpr uint32_t kTitle = 1;
constexpr uint32_t kDetail = 2;
constexpr uint32_t kIsRetryable = 4;
constexpr uint32_t kAdditionalInfo = 7;
// So many entries of that map are kept: an error is shown to a person.
constexpr size_t kMaxAdditionalInfo = 64;

using wire::ProtoField;

// Calls `visit` with the fields of a message up to the first that is broken; false if one is.
template <typename Visit>
bool ForEachField(std::string_view message, Visit visit) {
  wire::ProtoReader reader(message);
  for (;;) {
    const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
    if (!field.ok()) return false;
    if (!field->has_value()) return true;
    visit(**field);
  }
}

void AddInfo(std::string_view entry, CursorError& error) {
  std::string key;
  std::string value;
  const bool whole = ForEachField(entry, [&](const ProtoField& field) {
    if (field.number == 1) key = ToUtf8(field.bytes);
    if (field.number == 2) value = ToUtf8(field.bytes);
  });
  if (whole && error.additional_info.size() < kMaxAdditionalInfo) {
    error.additional_info.insert_or_assign(std::move(key), std::move(value));
  }
}

void ReadCustomDetails(std::string_view details, CursorError& error) {
  (void)ForEachField(details, [&error](const ProtoField& field) {
    const bool is_text = field.type == wire::WireType::kLength;
    if (field.number == kTitle && is_text) error.title = std::string(field.bytes);
    if (field.number == kDetail && is_text) error.detail = std::string(field.bytes);
    if (field.number == kIsRetryable && !is_text) error.is_retryable = field.scalar != 0;
    if (field.number == kAdditionalInfo && is_text) AddInfo(field.bytes, error);
  });
}

// nullopt: the bytes are broken, or hold nothing to read.
std::optional<CursorError> FromValue(std::string_view value) {
  CursorError error;
  bool has_details = false;
  const bool whole = ForEachField(value, [&](const ProtoField& field) {
    if (field.number == kError && field.type == wire::WireType::kVarint) {
      error.number = field.scalar;
    }
    if (field.number == kIsExpected && field.type == wire::WireType::kVarint) {
      error.is_expected = field.scalar != 0;
    }
    if (field.number == kDetails && field.type == wire::WireType::kLength) {
      has_details = true;
      ReadCustomDetails(field.bytes, error);
    }
  });
  if (!whole || !has_details) return std::nullopt;
  error.name = ErrorName(error.number);
  return error;
}

std::optional<bool> FindBool(const wire::Json& object, std::string_view name) {
  const wire::Json* member = object.Find(name);
  if (member == nullptr || member->kind != wire::Json::Kind::kBool) return std::nullopt;
  return member->boolean;
}

std::optional<CursorError> FromDebug(std::string_view debug) {
  const absl::StatusOr<wire::Json> json = wire::ParseJson(debug);
  const wire::Json* details = json.ok() ? json->Find("details") : nullptr;
  if (details == nullptr) return std::nullopt;
  CursorError error{.name = std::string(json->FindString("error")),
                    .title = std::string(details->FindString("title")),
                    .detail = std::string(details->FindString("detail")),
                    .is_retryable = FindBool(*details, "isRetryable"),
                    .is_expected = FindBool(*json, "isExpected")};
  error.number = ErrorNumber(error.name).value_or(0);
  const wire::Json* info = details->Find("additionalInfo");
  if (info == nullptr) return error;
  for (const wire::Json::Member& member : info->members) {
    if (error.additional_info.size() >= kMaxAdditionalInfo) break;
    if (member.value.is_string()) error.additional_info[member.name] = member.value.text;
  }
  return error;
}

}  // namespace

std::optional<CursorError> FindCursorError(const connect::ErrorInfo& info) {
  for (const connect::ErrorDetail& detail : info.details) {
    if (detail.type != kType) continue;
    std::optional<CursorError> found = FromValue(detail.value);
    if (!found) found = FromDebug(detail.debug_json);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace cursorwire::agent

namespace cursorwire {

std::optional<CursorError> GetCursorError(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  return info ? agent::FindCursorError(*info) : std::nullopt;
}

}  // namespace cursorwire
