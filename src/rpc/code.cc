#include "cursorwire/connect/error_info.h"

#include <array>
#include <utility>

namespace cursorwire::connect {
namespace {

// Source: Connect protocol, "Error codes"; docs/protocol.md, error codes.
constexpr std::array<std::pair<absl::StatusCode, std::string_view>, 16> kCodes = {{
    {absl::StatusCode::kCancelled, "canceled"},
    {absl::StatusCode::kUnknown, "unknown"},
    {absl::StatusCode::kInvalidArgument, "invalid_argument"},
    {absl::StatusCode::kDeadlineExceeded, "deadline_exceeded"},
    {absl::StatusCode::kNotFound, "not_found"},
    {absl::StatusCode::kAlreadyExists, "already_exists"},
    {absl::StatusCode::kPermissionDenied, "permission_denied"},
    {absl::StatusCode::kResourceExhausted, "resource_exhausted"},
    {absl::StatusCode::kFailedPrecondition, "failed_precondition"},
    {absl::StatusCode::kAborted, "aborted"},
    {absl::StatusCode::kOutOfRange, "out_of_range"},
    {absl::StatusCode::kUnimplemented, "unimplemented"},
    {absl::StatusCode::kInternal, "internal"},
    {absl::StatusCode::kUnavailable, "unavailable"},
    {absl::StatusCode::kDataLoss, "data_loss"},
    {absl::StatusCode::kUnauthenticated, "unauthenticated"},
}};

}  // namespace

std::string_view CodeText(absl::StatusCode code) {
  if (code == absl::StatusCode::kOk) return "ok";
  for (const auto& [known, text] : kCodes) {
    if (known == code) return text;
  }
  return "unknown";
}

std::optional<absl::StatusCode> CodeFromText(std::string_view text) {
  for (const auto& [code, known] : kCodes) {
    if (known == text) return code;
  }
  return std::nullopt;
}

}  // namespace cursorwire::connect
