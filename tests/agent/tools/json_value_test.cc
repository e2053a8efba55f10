#include "agent/tools/json_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "agent/v1/mcp.pb.h"
#include "support/hex.h"
#include "support/status_matchers.h"
#include "wire/json.h"

namespace cursorwire::agent {
namespace {

using google::protobuf::Value;
using test::FromHex;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

Value OfNumber(double number) {
  Value value;
  value.set_number_value(number);
  return value;
}

TEST(JsonToValue, ReadsEachKindAndWritesItCompact) {
  struct Case {
    const char* json;
    const char* compact;
  };
  const Case cases[] = {
      {"null", "null"},
      {" true ", "true"},
      {"false", "false"},
      {"0", "0"},
      {"-12", "-12"},
      {"1.0", "1"},
      {"1e3", "1000"},
      {"1.50", "1.5"},
      {R"("")", R"("")"},
      {R"("a\u00e9\ud83d\ude00")", "\"a\xC3\xA9\xF0\x9F\x98\x80\""},
      {R"("q\"b\\s\/n\nt\tz\u0000")", R"("q\"b\\s/n\nt\u0009z\u0000")"},
      {"[ ]", "[]"},
      {"[1, [2, {}]]", "[1,[2,{}]]"},
      {"{ }", "{}"},
      {R"({"b": 1, "a": [true], "": null})", R"({"":null,"a":[true],"b":1})"},
      {R"({"a": 1, "a": 2})", R"({"a":2})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    const auto value = JsonToValue(c.json);
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(ValueToJson(*value), c.compact);
  }
}

TEST(JsonToValue, KeepsNumbersAsFarAsADoubleDoes) {
  struct Case {
    const char* json;
    const char* written;
  };
  const Case cases[] = {
      {"9007199254740992", "9007199254740992"},    // 2^53
      {"-9007199254740992", "-9007199254740992"},  //
      {"9007199254740993", "9007199254740992"},    // the nearest double
      {"9007199254740994", "9007199254740994"},
      {"18446744073709551615", "18446744073709551616"},
      {"1e300", "1e+300"},
      {"0.1", "0.1"},
      {"1e-7", "1e-07"},
      {"2.2250738585072014e-308", "2.2250738585072014e-308"},
      {"1e-400", "0"},
      {"-0.0", "0"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    const auto value = JsonToValue(c.json);
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(ValueToJson(*value), c.written);
    const auto again = JsonToValue(ValueToJson(*value));
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->number_value(), value->number_value());
  }
}

TEST(JsonToValue, RefusesWhatIsNoJson) {
  for (const char* json : {"", "{", "[1,]", "01", "1.", "NaN", "'a'", "{a:1}", "1 2", "\"\xFF\"",
                           "\"\x01\"", "nul", R"({"a" 1})"}) {
    SCOPED_TRACE(json);
    EXPECT_THAT(JsonToValue(json), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(JsonToValue, RefusesWhatIsOverALimit) {
  const auto nested = [](int depth) {
    const auto count = static_cast<size_t>(depth);
    return std::string(count, '[') + std::string(count, ']');
  };
  EXPECT_THAT(JsonToValue(nested(wire::kMaxJsonDepth)), IsOk());
  EXPECT_THAT(JsonToValue(nested(wire::kMaxJsonDepth + 1)),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(JsonToValue("1e400"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("range of a double")));
  EXPECT_THAT(JsonToValue("[-1e999]"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(JsonToValue(std::string(kMaxValueJsonBytes, ' ') + "1"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("over limit")));
}

TEST(ValueToJson, IsNullForWhatJsonHasNoWordFor) {
  EXPECT_EQ(ValueToJson(Value()), "null");
  EXPECT_EQ(ValueToJson(OfNumber(std::numeric_limits<double>::quiet_NaN())), "null");
  EXPECT_EQ(ValueToJson(OfNumber(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(ValueToJson(OfNumber(-std::numeric_limits<double>::infinity())), "null");
}

TEST(ValueToJson, StopsAtTheDepthThatIsReadAgain) {
  Value value;
  Value* inner = &value;
  for (int i = 0; i < wire::kMaxJsonDepth + 5; ++i) {
    inner = inner->mutable_list_value()->add_values();
  }
  const std::string json = ValueToJson(value);
  EXPECT_THAT(JsonToValue(json), IsOk());
  EXPECT_THAT(json, HasSubstr("[null]"));
}

// --- arguments

std::string Arguments(std::initializer_list<std::pair<std::string, std::string>> entries) {
  ::agent::v1::McpArgs call;
  for (const auto& [name, bytes] : entries) (*call.mutable_args())[name] = bytes;
  return ArgumentsJson(call.args());
}

std::string BytesOf(const std::string& json) {
  const auto value = JsonToValue(json);
  EXPECT_THAT(value, IsOk()) << json;
  return value.ok() ? value->SerializeAsString() : "";
}

TEST(ArgumentsJson, IsAnObjectWithItsNamesInOrder) {
  EXPECT_EQ(Arguments({}), "{}");
  EXPECT_EQ(Arguments({{"b", BytesOf("1")},
                       {"a", BytesOf(R"({"z":[null],"y":"t"})")},
                       {"quote\"", BytesOf("true")}}),
            R"({"a":{"y":"t","z":[null]},"b":1,"quote\"":true})");
}

TEST(ArgumentsJson, ReadsTheBytesOfAValue) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* json;
  };
  const Case cases[] = {
      {"null", FromHex("08 00"), "null"},
      {"number", FromHex("11 00 00 00 00 00 00 F8 3F"), "1.5"},
      {"string", FromHex("1A 02 68 69"), R"("hi")"},
      {"bool", FromHex("20 01"), "true"},
      {"struct", FromHex("2A 00"), "{}"},
      {"list", FromHex("32 00"), "[]"},
      {"list of a value without a kind", FromHex("32 02 0A 00"), "[null]"},
      {"a field that is not known beside it", FromHex("3A 01 78 20 01"), "true"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Arguments({{"v", c.bytes}}), std::string(R"({"v":)") + c.json + "}");
  }
}

TEST(ArgumentsJson, TakesWhatIsNoValueAsText) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* json;
  };
  const Case cases[] = {
      {"nothing", "", R"("")"},
      {"text", "hello \xC3\xA9", "\"hello \xC3\xA9\""},
      {"bytes that are no text", "x\xFF\xFEy", "\"x\xEF\xBF\xBD\xEF\xBF\xBDy\""},
      {"a value that is cut short", FromHex("1A 05 68 69"), R"("\u001a\u0005hi")"},
      {"a string that is no UTF-8", FromHex("1A 01 FF"), "\"\\u001a\\u0001\xEF\xBF\xBD\""},
      {"a field that is not known alone", FromHex("3A 01 78"), R"(":\u0001x")"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Arguments({{"v", c.bytes}}), std::string(R"({"v":)") + c.json + "}");
  }
}

TEST(ArgumentsJson, ReadsWhatIsNestedAsDeepAsJsonMayBe) {
  // Three messages for each object, which is more than protobuf takes unless it is told.
  std::string json = "1";
  for (int i = 1; i < wire::kMaxJsonDepth; ++i) json = R"({"a":)" + json + "}";
  const std::string arguments = Arguments({{"v", BytesOf(json)}});
  EXPECT_EQ(arguments, R"({"v":)" + json + "}");
  EXPECT_THAT(JsonToValue(arguments), IsOk());
}

TEST(ArgumentsJson, CanBeReadAgainHoweverDeepAValueIs) {
  Value value;
  Value* inner = &value;
  for (int i = 0; i < 90; ++i) inner = inner->mutable_list_value()->add_values();
  const std::string shallow = Arguments({{"v", value.SerializeAsString()}});
  EXPECT_THAT(JsonToValue(shallow), IsOk());
  for (int i = 0; i < 10'000; ++i) inner = inner->mutable_list_value()->add_values();
  EXPECT_THAT(JsonToValue(Arguments({{"v", value.SerializeAsString()}})), IsOk());
}

}  // namespace
}  // namespace cursorwire::agent
