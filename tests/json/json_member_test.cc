#include "json/json_member.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire {
namespace {

using nlohmann::json;

TEST(JsonMember, AreTakenFromObjectsAlone) {
  const json object =
      json::object({{"text", "a"}, {"yes", true}, {"no", false}, {"list", json::array({1})}});
  EXPECT_EQ(MemberOf(object, "list"), json::array({1}));
  EXPECT_EQ(TextOf(object, "text"), "a");
  EXPECT_TRUE(FlagOf(object, "yes"));
  EXPECT_FALSE(FlagOf(object, "no"));
  for (const json& other : {object, json("text"), json::array({"text"}), json()}) {
    EXPECT_TRUE(MemberOf(other, "none").is_null());
    EXPECT_EQ(TextOf(other, "list"), "");
    EXPECT_FALSE(FlagOf(other, "text"));
  }
}

TEST(JsonMember, ParseObjectTakesNothingElse) {
  EXPECT_EQ(ParseObject(R"({"a":"\ud800"})"), json::object({{"a", "\xEF\xBF\xBD"}}));
  for (const char* text : {"", "[]", "1", "{", R"({"a":1e999})", "\xFF"}) {
    EXPECT_EQ(ParseObject(text), json::object()) << text;
  }
}

TEST(JsonMember, ParseObjectIsBounded) {
  const auto nested = [](size_t depth) {
    return R"({"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(ParseObject(nested(kMaxObjectDepth)).contains("a"));
  EXPECT_EQ(ParseObject(nested(kMaxObjectDepth + 1)), json::object());
  EXPECT_EQ(ParseObject(nested(1'000'000)), json::object());
  std::string values = R"({"a":[1)";
  for (size_t i = 0; i < kMaxObjectValues; ++i) values += ",1";
  EXPECT_EQ(ParseObject(values + "]}"), json::object());
}

}  // namespace
}  // namespace cursorwire
