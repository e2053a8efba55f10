#include "json/checked_json.h"

#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using ::testing::HasSubstr;

TEST(CheckedJson, SaysWhatIsWrongAndWhere) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"[1,\n2,,]", "line 2"},
      {"", "unexpected end"},
      {R"({"a":1,"b":{"a":1},"a":2})", R"(there are two fields "a" in one object)"},
      {"[1e999]", "number overflow"},
      {"[\"\xFF\"]", "UTF-8"},
      {"[[[[]]]]", "it is nested deeper than 3"},
      {"[1,2,3,4,5]", "it has more than 4 values"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(ParseCheckedJson(c.text, {.max_depth = 3, .max_values = 4}),
                test::StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.why)));
  }
  const auto json = ParseCheckedJson("[1,[2,[]]]", {.max_depth = 3, .max_values = 4});
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->dump(), "[1,[2,[]]]");
}

}  // namespace
}  // namespace cursorwire
