#include "cursorwire/tools.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace cursorwire {
namespace {

TEST(ToolResult, IsMadeOfOneItem) {
  EXPECT_EQ(std::get<std::string>(ToolResult::Text("a").content.at(0)), "a");
  EXPECT_FALSE(ToolResult::Text("a").is_error);
  EXPECT_EQ(std::get<std::string>(ToolResult::Error("b").content.at(0)), "b");
  EXPECT_TRUE(ToolResult::Error("b").is_error);
  EXPECT_EQ(std::get<ToolImage>(ToolResult::Image("c").content.at(0)).bytes, "c");
  EXPECT_FALSE(ToolResult::Image("c").is_error);
}

TEST(SchemaDepth, CountsWhatIsNested) {
  const struct {
    const char* json;
    size_t depth;
  } kCases[] = {{"", 0},
                {"1", 0},
                {"{}", 1},
                {"[[],[{}],[]]", 3},
                {R"({"a":"{[{[","b":[1]})", 2},
                {R"({"a\"{":"\\","b{":{}})", 2},
                {"]]{", 1},
                {"\"\\", 0}};
  for (const auto& c : kCases) EXPECT_EQ(SchemaDepth(c.json), c.depth) << c.json;
}

}  // namespace
}  // namespace cursorwire
