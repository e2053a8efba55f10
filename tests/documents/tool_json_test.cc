#include "documents/tool_json.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::documents {
namespace {

TEST(ToolJson, TakesWhatIsNoObjectForAText) {
  for (const char* text : {"no json", "[1]", "\"a\"", "{\"a\":", "{\"a\":\"\xFF\"}"}) {
    EXPECT_EQ(ReadToolJson(text), Json::object({{"text", text}}));
  }
  EXPECT_EQ(ReadToolJson(""), Json::object());
}

TEST(ToolJson, ReadsNestingUpToItsLimit) {
  const auto nested = [](int lists) {
    const auto count = static_cast<size_t>(lists);
    return "{\"a\":" + std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_TRUE(ReadToolJson(nested(kMaxToolJsonDepth - 1)).contains("a"));
  EXPECT_TRUE(ReadToolJson(nested(kMaxToolJsonDepth)).contains("text"));
  EXPECT_TRUE(ReadToolJson(nested(1'000'000)).contains("text"));
}

// A program may cut a text in the middle of a pair.
TEST(ToolJson, ReadsAnObjectWithALoneSurrogate) {
  EXPECT_EQ(ReadToolJson(R"({"a":"x\ud83d"})"), Json::object({{"a", "x\xEF\xBF\xBD"}}));
}

}  // namespace
}  // namespace cursorwire::documents
