#include "jsonrpc/json_text.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::jsonrpc {
namespace {

using test::StatusIs;
using enum absl::StatusCode;

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

TEST(JsonText, ReplacesLoneSurrogates) {
  struct Case {
    const char* text;
    const char* written;
  };
  const Case cases[] = {
      {R"("\ud83d\ude00")", "\"\xF0\x9F\x98\x80\""},
      {R"("\uD83D\uDE00")", "\"\xF0\x9F\x98\x80\""},
      {R"("a\ud83db")",
       "\"a\xEF\xBF\xBD"
       "b\""},
      {R"("\ude00")", "\"\xEF\xBF\xBD\""},
      {R"("\ud83d\ud83d\ude00")", "\"\xEF\xBF\xBD\xF0\x9F\x98\x80\""},
      {R"("\ud83d")", "\"\xEF\xBF\xBD\""},
      {R"("\ud83d\n")", "\"\xEF\xBF\xBD\\n\""},
      {R"("\\ud83d")", R"("\\ud83d")"},
      {R"({"\udc00":1})", "{\"\xEF\xBF\xBD\":1}"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<Json> value = ParseJsonText(c.text);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(WriteJsonText(*value), c.written);
  }
}

TEST(JsonText, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "{} {}", "nul", "\"\xFF\"", "\"\\u12\"", "\"\\ud8", "'a'",
                           "[1,]", "{\"a\"}", "\x1b[31m{}", "\"\\"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseJsonText(text), StatusIs(kInvalidArgument));
  }
}

TEST(JsonText, BoundsDepthAndNumberOfValues) {
  EXPECT_TRUE(ParseJsonText(Nested(kMaxDepth)).ok());
  EXPECT_THAT(ParseJsonText(Nested(kMaxDepth + 1)), StatusIs(kResourceExhausted));
  EXPECT_THAT(ParseJsonText(std::string(1'000'000, '[')), StatusIs(kResourceExhausted));
  std::string many = "[0";
  for (size_t i = 0; i < kMaxValues; ++i) many += ",0";
  EXPECT_THAT(ParseJsonText(many + "]"), StatusIs(kResourceExhausted));
}

TEST(JsonText, CutsWhatIsNestedTooDeep) {
  const auto cut = [](const std::string& text) { return ParseJsonText(text, DeepValues::kCut); };
  const std::string marker = absl::StrCat("\"", kDeepValue, "\"");
  const auto around = [](const std::string& inner) {
    constexpr auto kOuter = static_cast<size_t>(kMaxDepth - 2);
    return R"({"a":[1,)" + std::string(kOuter, '[') + inner + std::string(kOuter, ']') +
           R"(,2],"b":{"c":"d","e":null}})";
  };
  struct Case {
    const char* inner;
    std::string result;
  };
  const Case cases[] = {
      {"true,-1,1.5", "true,-1,1.5"},
      {R"([],{},3)", absl::StrCat(marker, ",", marker, ",3")},
      {R"([[{"x":"y"}],"z"],4)", absl::StrCat(marker, ",4")},
      {R"({"a":[{}],"b":1},"\ud83d")", absl::StrCat(marker, ",\"\xEF\xBF\xBD\"")},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.inner);
    const absl::StatusOr<Json> value = cut(around(c.inner));
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(WriteJsonText(*value), around(c.result));
  }
  // However deep it is, and as strict as ever.
  EXPECT_TRUE(cut(Nested(100'000)).ok());
  EXPECT_THAT(cut(std::string(100'000, '[')), StatusIs(kInvalidArgument));
  EXPECT_THAT(cut(Nested(kMaxDepth + 5) + "]"), StatusIs(kInvalidArgument));
  EXPECT_THAT(cut(around("[\"\xFF\"]")), StatusIs(kInvalidArgument));
  std::string many = "[[0";
  for (size_t i = 0; i < kMaxValues; ++i) many += ",0";
  EXPECT_THAT(cut(around(many + "]]")), StatusIs(kResourceExhausted));
}

TEST(JsonText, WritesOneLineOfUtf8) {
  EXPECT_EQ(WriteJsonText({{"a", "x\ny\xFF"}}), "{\"a\":\"x\\ny\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace cursorwire::jsonrpc
