#include "agent/error_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::FromHex;
using ::testing::Optional;

constexpr char kType[] = "aiserver.v1.ErrorDetails";
constexpr char kDebug[] =
    R"({"error":"ERROR_BAD_MODEL_NAME","details":{"title":"Debug title","detail":"Debug text."}})";

// A length-delimited field of fewer than 128 bytes.
std::string Field(int number, std::string_view bytes) {
  std::string field;
  field += static_cast<char>(number << 3 | 2);
  field += static_cast<char>(bytes.size());
  return field.append(bytes);
}

std::string Details(std::string_view title, std::string_view detail) {
  return FromHex("08 05") + Field(2, Field(1, title) + Field(2, detail) + FromHex("20 01"));
}

absl::Status ServerError(std::string_view message, std::vector<ErrorDetail> details) {
  return MakeError(absl::StatusCode::kNotFound, message,
                   {.origin = ErrorOrigin::kServer, .http_status = 200, .details = details});
}

TEST(WithErrorDetails, MakesTheMessageReadable) {
  struct Case {
    const char* name;
    std::string message;
    std::vector<ErrorDetail> details;
    std::string expected;
  };
  const Case cases[] = {
      {"title and text in place of Error",
       "Error",
       {{kType, Details("Title", "Text."), ""}},
       "Title: Text."},
      {"behind a message of its own",
       "no model",
       {{kType, Details("Title", "Text."), ""}},
       "no model: Title: Text."},
      {"without a message", "", {{kType, Details("Title", "Text."), ""}}, "Title: Text."},
      {"title alone", "Error", {{kType, Details("Title", ""), ""}}, "Title"},
      {"text alone", "Error", {{kType, Details("", "Text."), ""}}, "Text."},
      {"said already", "Text.", {{kType, Details("", "Text."), ""}}, "Text."},
      {"value before debug", "Error", {{kType, Details("Title", "Text."), kDebug}}, "Title: Text."},
      {"debug where there is no value", "Error", {{kType, "", kDebug}}, "Debug title: Debug text."},
      {"debug where the value is broken",
       "Error",
       {{kType, FromHex("12 7F 00"), kDebug}},
       "Debug title: Debug text."},
      {"debug where the value has no details",
       "Error",
       {{kType, FromHex("08 05"), kDebug}},
       "Debug title: Debug text."},
      {"details that are not a message", "Error", {{kType, FromHex("10 05"), ""}}, "Error"},
      {"value and debug broken", "Error", {{kType, FromHex("FF"), "{"}}, "Error"},
      {"debug that is no object", "Error", {{kType, "", "[]"}}, "Error"},
      {"debug of another shape", "Error", {{kType, "", R"({"details":"x"})"}}, "Error"},
      {"another type", "Error", {{"google.rpc.Help", Details("Title", "Text."), kDebug}}, "Error"},
      {"the right type behind another",
       "Error",
       {{"google.rpc.Help", "x", ""}, {kType, Details("Title", "Text."), ""}},
       "Title: Text."},
      {"a good one behind a broken one",
       "Error",
       {{kType, FromHex("FF"), ""}, {kType, Details("Title", "Text."), ""}},
       "Title: Text."},
      {"text that is not UTF-8", "Error", {{kType, Details("\xFF", "Text."), ""}}, "Text."},
      {"no detail", "Error", {}, "Error"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = ServerError(c.message, c.details);
    const absl::Status readable = WithErrorDetails(status);
    EXPECT_EQ(std::string(readable.message()), c.expected);
    EXPECT_EQ(readable.code(), absl::StatusCode::kNotFound);
    // Everything else stays.
    EXPECT_EQ(connect::GetErrorInfo(readable), connect::GetErrorInfo(status));
  }
}

TEST(WithErrorDetails, SurvivesAValueCutAnywhere) {
  const std::string value = Details("Title", "Text.");
  for (size_t size = 0; size < value.size(); ++size) {
    SCOPED_TRACE(size);
    const absl::Status readable =
        WithErrorDetails(ServerError("Error", {{kType, value.substr(0, size), ""}}));
    EXPECT_EQ(readable.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(readable.message(), "Error");
  }
}

TEST(WithErrorDetails, LeavesOtherStatusesAlone) {
  EXPECT_EQ(WithErrorDetails(absl::OkStatus()), absl::OkStatus());
  EXPECT_EQ(WithErrorDetails(absl::InternalError("Error")), absl::InternalError("Error"));
}

}  // namespace
}  // namespace cursorwire::agent
