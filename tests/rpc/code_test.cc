#include "cursorwire/connect/error_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cursorwire::connect {
namespace {

using ::testing::Eq;
using ::testing::Optional;

// Source: Connect protocol, "Error codes".
const struct {
  const char* name;
  absl::StatusCode code;
} kCodes[] = {
    {"canceled", absl::StatusCode::kCancelled},
    {"unknown", absl::StatusCode::kUnknown},
    {"invalid_argument", absl::StatusCode::kInvalidArgument},
    {"deadline_exceeded", absl::StatusCode::kDeadlineExceeded},
    {"not_found", absl::StatusCode::kNotFound},
    {"already_exists", absl::StatusCode::kAlreadyExists},
    {"permission_denied", absl::StatusCode::kPermissionDenied},
    {"resource_exhausted", absl::StatusCode::kResourceExhausted},
    {"failed_precondition", absl::StatusCode::kFailedPrecondition},
    {"aborted", absl::StatusCode::kAborted},
    {"out_of_range", absl::StatusCode::kOutOfRange},
    {"unimplemented", absl::StatusCode::kUnimplemented},
    {"internal", absl::StatusCode::kInternal},
    {"unavailable", absl::StatusCode::kUnavailable},
    {"data_loss", absl::StatusCode::kDataLoss},
    {"unauthenticated", absl::StatusCode::kUnauthenticated},
};

TEST(Code, MapsTheSixteenBothWays) {
  std::set<absl::StatusCode> seen;
  for (const auto& c : kCodes) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(CodeText(c.code), c.name);
    EXPECT_THAT(CodeFromText(c.name), Optional(c.code));
    seen.insert(c.code);
  }
  EXPECT_EQ(seen.size(), 16u);
}

TEST(Code, NamesOkAndWhatIsNoCode) {
  EXPECT_EQ(CodeText(absl::StatusCode::kOk), "ok");
  EXPECT_EQ(CodeText(static_cast<absl::StatusCode>(17)), "unknown");
  EXPECT_EQ(CodeText(static_cast<absl::StatusCode>(-1)), "unknown");
}

TEST(Code, RefusesOtherTexts) {
  const struct {
    const char* name;
    std::string_view text;
  } kCases[] = {
      {"empty", ""},
      {"ok is no error", "ok"},
      {"gRPC's spelling", "cancelled"},
      {"upper case", "CANCELED"},
      {"capital", "Internal"},
      {"space in front", " internal"},
      {"space after", "internal "},
      {"prefix of one", "intern"},
      {"one with more after it", "internals"},
      {"a number", "13"},
      {"hyphen", "not-found"},
      {"zero byte after", std::string_view("aborted\0", 8)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(CodeFromText(c.text), Eq(std::nullopt));
  }
}

}  // namespace
}  // namespace cursorwire::connect
