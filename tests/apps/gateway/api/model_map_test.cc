#include "api/model_map.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace cursor_gateway {
namespace {

ModelMap MapOf(std::initializer_list<const char*> lists) {
  ModelMap map;
  for (const char* list : lists) EXPECT_TRUE(map.Add(list).ok()) << list;
  return map;
}

TEST(ModelMap, TakesTheFirstThatMatches) {
  const ModelMap map = MapOf({"claude-haiku-*=auto,claude-*-4-5*=big", "claude-*=rest", "x=y"});
  EXPECT_EQ(map.Find("claude-haiku-4-5-20251001"), "auto");
  EXPECT_EQ(map.Find("claude-sonnet-4-5-20250929"), "big");
  EXPECT_EQ(map.Find("claude-4-5"), "rest");  // a star matches no text, and each text between
  EXPECT_EQ(map.Find("claude-opus-5"), "rest");
  EXPECT_EQ(map.Find("x"), "y");
  EXPECT_EQ(map.Find("xx"), "xx");
  EXPECT_EQ(map.Find("my-claude-1"), "my-claude-1");
}

TEST(ModelMap, MatchesStarsAnywhere) {
  const struct {
    const char* pattern;
    const char* name;
    bool matches;
  } cases[] = {{"*", "", true},       {"*", "a", true},       {"a*b", "ab", true},
               {"a*b", "axxb", true}, {"a*b", "axbx", false}, {"*a*b*", "xaxbx", true},
               {"**", "x", true},     {"a**", "a", true},     {"a*a", "a", false},
               {"a?c", "abc", false}, {"[a]", "a", false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.pattern) + " " + c.name);
    const ModelMap map = MapOf({(std::string(c.pattern) + "=to").c_str()});
    EXPECT_EQ(map.Find(c.name) == "to", c.matches);
  }
}

TEST(ModelMap, RefusesWhatIsNoPair) {
  for (const char* list : {"a", "=b", "a=", "a=b*", "a=b,c", "a=b,,"}) {
    SCOPED_TRACE(list);
    EXPECT_EQ(ModelMap().Add(list).code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace cursor_gateway
