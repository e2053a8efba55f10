#include "json/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace cursorwire {
namespace {

using nlohmann::json;
using Kind = JsonFault::Kind;

// The fault of a text that must have one.
JsonFault FaultOf(std::string_view text, const JsonBounds& bounds = {}) {
  json value = "as it was";
  const std::optional<JsonFault> fault = ReadJson(text, bounds, value);
  EXPECT_TRUE(fault.has_value()) << text;
  EXPECT_EQ(value, "as it was") << text;
  return fault.value_or(JsonFault{});
}

TEST(JsonReader, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char* text;
    Kind kind;
    size_t byte;
  };
  const Case cases[] = {
      {"", Kind::kEndsEarly, 1},
      {R"({"a": )", Kind::kEndsEarly, 7},
      {R"({"model": x})", Kind::kNotJson, 11},
      {"{\"model\": \"\xff\"}", Kind::kNotJson, 12},
      {R"(["\ud800", x])", Kind::kNotJson, 12},  // as many bytes after the repair
      {"[1e999]", Kind::kLargeNumber, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const JsonFault fault = FaultOf(c.text);
    EXPECT_EQ(fault.kind, c.kind);
    EXPECT_EQ(fault.byte, c.byte);
  }
}

TEST(JsonReader, BoundsDepth) {
  const JsonBounds bounds{.max_depth = 3};
  json value;
  for (const char* text : {"[[[]]]", R"({"a":[{"[[":"]"}],"b":[[]]})", R"(["[[[[\"[[["])"}) {
    EXPECT_EQ(ReadJson(text, bounds, value), std::nullopt) << text;
    EXPECT_EQ(value, json::parse(text));
  }
  for (const char* text : {"[[[[]]]]", R"({"a":[{"b":{}}]})", "[[[["}) {
    EXPECT_EQ(FaultOf(text, bounds).kind, Kind::kTooDeep) << text;
  }
  EXPECT_EQ(FaultOf(std::string(1'000'000, '['), bounds).kind, Kind::kTooDeep);
}

TEST(JsonReader, BoundsTheNumberOfValues) {
  const JsonBounds bounds{.max_values = 4};
  json value;
  for (const char* text :
       {"[1,2,3,4]", "[[1],[2]]", "[[],[]]", R"({"a,b":{"c":1,"d":"[,,,,"}})", "true"}) {
    EXPECT_EQ(ReadJson(text, bounds, value), std::nullopt) << text;
  }
  for (const char* text : {"[1,2,3,4,5]", "[[],[],[]]", R"({"a":[1,2,3],"b":1})"}) {
    EXPECT_EQ(FaultOf(text, bounds).kind, Kind::kTooManyValues) << text;
    EXPECT_EQ(CountJsonValues(text, bounds), 5U) << text;
  }
  EXPECT_EQ(CountJsonValues("[1,2,nonsense", {}), 3U);
}

TEST(JsonReader, ReplacesLoneSurrogates) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("\ud83d\ude00")", "\xF0\x9F\x98\x80"},
      {R"("\uD83D\uDE00\udC00")", "\xF0\x9F\x98\x80\xEF\xBF\xBD"},
      {R"("\ud83d\ud83d\ude00")", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
      {R"("\ud83d\n")", "\xEF\xBF\xBD\n"},
      {R"("\\ud83d")", "\\ud83d"},
  };
  for (const auto& [text, wanted] : cases) {
    SCOPED_TRACE(text);
    json value;
    EXPECT_EQ(ReadJson(text, {}, value), std::nullopt);
    EXPECT_EQ(value, wanted);
    EXPECT_EQ(json::parse(WithoutLoneSurrogates(text)), wanted);
  }
  for (const char* text : {"\"\\ud8", "\"\\ud83d", R"("\ud83d\u12")", "\"\\"}) {
    EXPECT_NE(FaultOf(text).kind, Kind::kLargeNumber) << text;
  }
}

}  // namespace
}  // namespace cursorwire
