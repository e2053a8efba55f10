#include "mcp/expansion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

std::optional<std::string> Find(const std::string& name) {
  if (name == "A") return "value";
  if (name == "EMPTY") return "";
  if (name == "NESTED") return "${A}";
  if (name.starts_with("CURSOR_")) return "secret";
  return std::nullopt;
}

TEST(Expand, ReplacesVariables) {
  struct Case {
    const char* text;
    const char* result;
  };
  const Case cases[] = {
      {"", ""},
      {"plain $A $ {A} $$", "plain $A $ {A} $$"},
      {"${A}", "value"},
      {"x${A}y${env:A}z", "xvalueyvaluez"},
      {"${EMPTY}", ""},
      {"${EMPTY:-d}", "d"},
      {"${NONE:-a b}", "a b"},
      {"${NONE:-}", ""},
      {"${A:-d}", "value"},
      {"${env:NONE:-d}", "d"},
      {"${NESTED}", "${A}"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(Expand(c.text, Find), IsOkAndHolds(std::string(c.result)));
  }
}

TEST(Expand, SaysWhatIsWrong) {
  EXPECT_THAT(Expand("a${NONE}", Find), StatusIs(kNotFound, HasSubstr("variable NONE")));
  for (const char* text : {"${", "${A", "${}", "${1A}", "${A B}", "${input:key}", "${:-x}"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(Expand(text, Find), StatusIs(kInvalidArgument));
  }
}

TEST(Expand, NeverGivesATokenOfCursor) {
  for (const char* text :
       {"${CURSOR_ACCESS_TOKEN}", "${env:CURSOR_AUTH_TOKEN}", "${CURSOR_API_KEY:-x}"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(Expand(text, Find), StatusIs(kPermissionDenied));
  }
  EXPECT_TRUE(Expand("${CURSOR_OTHER}", Find).ok());
}

}  // namespace
}  // namespace cursorwire::mcp
