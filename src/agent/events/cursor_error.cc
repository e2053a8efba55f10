#include "agent/events/error_details.h"

#include <absl/status/statusor.h>

#include <string_view>

#include "wire/json.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

constexpr std::string_view kType = "aiserver.v1.ErrorDetails";
// ErrorDetails: 1 error, 2 details = CustomErrorDetails: 1 title, 2 detail.
constexpr uint32_t kErrorField = 1;
constexpr uint32_t kDetailsField = 2;
constexpr uint32_t kTitleField = 1;
constexpr uint32_t kDetailField = 2;

// The last occurrence of a length-delimited field; nullopt if the field is absent or the bytes are
// broken.
std::optional<std::string_view> FindField(std::string_view message, uint32_t number) {
  wire::ProtoReader reader(message);
  std::optional<std::string_view> found;
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok()) return std::nullopt;
    if (!field->has_value()) return found;
    if ((*field)->number == number && (*field)->type == wire::WireType::kLength) {
      found = (*field)->bytes;
    }
  }
}

// The last occurrence of a varint field; 0 if it is absent.
uint64_t FindVarint(std::string_view message, uint32_t number) {
  wire::ProtoReader reader(message);
  uint64_t found = 0;
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok() || !field->has_value()) return found;
    if ((*field)->number == number && (*field)->type == wire::WireType::kVarint) {
      found = (*field)->scalar;
    }
  }
}

std::optional<ErrorDetails> FromValue(std::string_view value) {
  const std::optional<std::string_view> details = FindField(value, kDetailsField);
  if (!details) return std::nullopt;
  return ErrorDetails{.title = std::string(FindField(*details, kTitleField).value_or("")),
                      .detail = std::string(FindField(*details, kDetailField).value_or("")),
                      .error = FindVarint(value, kErrorField)};
}

std::optional<ErrorDetails> FromDebug(std::string_view debug) {
  const absl::StatusOr<wire::Json> json = wire::ParseJson(debug);
  const wire::Json* details = json.ok() ? json->Find("details") : nullptr;
  if (details == nullptr) return std::nullopt;
  return ErrorDetails{.title = std::string(details->FindString("title")),
                      .detail = std::string(details->FindString("detail")),
                      .error_name = std::string(json->FindString("error"))};
}

}  // namespace

std::optional<ErrorDetails> FindErrorDetails(const connect::ErrorInfo& info) {
  for (const connect::ErrorDetail& detail : info.details) {
    if (detail.type != kType) continue;
    std::optional<ErrorDetails> found = FromValue(detail.value);
    if (!found) found = FromDebug(detail.debug_json);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace cursorwire::agent
