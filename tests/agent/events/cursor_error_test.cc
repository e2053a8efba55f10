#include "cursorwire/chat_error.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "agent/events/error_names.h"
#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/hex.h"

namespace cursorwire::agent {
namespace {

using test::FromHex;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::SizeIs;

absl::Status WithDetail(std::string value, std::string debug = "") {
  return MakeError(absl::StatusCode::kResourceExhausted, "Error",
                   {.origin = connect::ErrorOrigin::kServer,
                    .details = {{"aiserver.v1.ErrorDetails", std::move(value), std::move(debug)}}});
}

// ErrorDetails { error = 51, details { title = "T", detail = "D", is_retryable = false,
// additional_info { "k": "v" } }, is_expected = true }
const std::string kBytes = FromHex(
    "08 33"
    "12 10  0A 01 54  12 01 44  20 00  3A 06 0A 01 6B 12 01 76"
    "18 01");

TEST(CursorError, IsReadFromItsBytes) {
  const std::optional<CursorError> error = GetCursorError(WithDetail(kBytes));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->number, 51u);
  EXPECT_EQ(error->name, "ERROR_RATE_LIMITED_CHANGEABLE");
  EXPECT_EQ(error->title, "T");
  EXPECT_EQ(error->detail, "D");
  EXPECT_THAT(error->is_retryable, Optional(false));
  EXPECT_THAT(error->is_expected, Optional(true));
  EXPECT_THAT(error->additional_info, ElementsAre(Pair("k", "v")));
}

TEST(CursorError, IsReadFromItsJsonWhereTheBytesAreBroken) {
  const std::optional<CursorError> error = GetCursorError(WithDetail(
      "\xFF", R"({"error":"ERROR_PROVIDER_ERROR","details":{"title":"T","detail":"D",)"
              R"("isRetryable":true,"additionalInfo":{"k":"v","n":1}},"isExpected":false})"));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->number, 57u);
  EXPECT_EQ(error->name, "ERROR_PROVIDER_ERROR");
  EXPECT_THAT(error->is_retryable, Optional(true));
  EXPECT_THAT(error->is_expected, Optional(false));
  EXPECT_THAT(error->additional_info, ElementsAre(Pair("k", "v")));
}

TEST(CursorError, KeepsWhatIsNotKnown) {
  const std::optional<CursorError> number = GetCursorError(WithDetail(FromHex("08 E7 07  12 00")));
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(number->number, 999u);
  EXPECT_EQ(number->name, "");
  EXPECT_EQ(number->is_retryable, std::nullopt);
  const std::optional<CursorError> name =
      GetCursorError(WithDetail("", R"({"error":"ERROR_OF_TOMORROW","details":{}})"));
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->number, 0u);
  EXPECT_EQ(name->name, "ERROR_OF_TOMORROW");
}

TEST(CursorError, IsNotThereWithoutDetails) {
  EXPECT_EQ(GetCursorError(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(GetCursorError(absl::InternalError("foreign")), std::nullopt);
  EXPECT_EQ(GetCursorError(WithDetail("", "")), std::nullopt);
  EXPECT_EQ(GetCursorError(WithDetail(FromHex("08 05"))), std::nullopt);
}

TEST(CursorError, SurvivesBytesThatAreCutAnywhere) {
  for (size_t size = 0; size < kBytes.size(); ++size) {
    SCOPED_TRACE(size);
    const std::optional<CursorError> error = GetCursorError(WithDetail(kBytes.substr(0, size)));
    EXPECT_LE(error.value_or(CursorError()).title.size(), 1u);
  }
}

TEST(CursorError, KeepsSoManyFactsOnly) {
  std::string details;
  for (char c = '0'; c < '0' + 70; ++c) {
    absl::StrAppend(&details, FromHex("3A 06 0A 01"), std::string(1, c), FromHex("12 01 76"));
  }
  std::string bytes = FromHex("12");
  bytes += static_cast<char>(0x80 | (details.size() & 0x7F));
  bytes += static_cast<char>(details.size() >> 7);
  const std::optional<CursorError> error = GetCursorError(WithDetail(bytes + details));
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->additional_info, SizeIs(64));
}

TEST(ErrorNames, AreTheSameBothWays) {
  EXPECT_THAT(ErrorNumber("ERROR_BAD_MODEL_NAME"), Optional(5u));
  EXPECT_EQ(ErrorName(5), "ERROR_BAD_MODEL_NAME");
  EXPECT_EQ(ErrorNumber("ERROR_OF_TOMORROW"), std::nullopt);
  EXPECT_EQ(ErrorName(999), "");
  int known = 0;
  for (uint64_t number = 0; number < 100; ++number) {
    const std::string_view name = ErrorName(number);
    if (name.empty()) continue;
    ++known;
    EXPECT_EQ(ErrorNumber(name), number);
  }
  EXPECT_GT(known, 50);
}

}  // namespace
}  // namespace cursorwire::agent
