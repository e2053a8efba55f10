#include "collab/room_agent/region_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::room_agent {
namespace {

using ::testing::SizeIs;

struct RegionFormCase {
  const char* name;
  std::string answer;
  std::vector<std::string> regions;  // lines joined by '|'
  std::string text{};
};

TEST(RegionAnswer, ReadsTheFormOfAnAnswer) {
  const std::vector<RegionFormCase> cases = {
      {"one", "a\nb\n", {"a|b"}},
      {"no line feed at the end", "a\nb", {"a|b"}},
      {"two", "a\nb\n==========\nc\nd\n", {"a|b", "c|d"}},
      {"long divider with blanks", "a\n==============  \nb", {"a", "b"}},
      {"nine are no divider", "a\n=========\nb", {"a|=========|b"}},
      {"something else in it", "a\n========== x\nb", {"a|========== x|b"}},
      {"empty regions", "==========\n\n==========\na\n==========\n", {"a"}},
      {"nothing", "", {}},
      {"blank lines", "\n \n\n", {}},
      {"blank lines around", "\n\na\n\nb\n\n", {"a||b"}},
      {"remark at the end", "a\nb\n[no more changes]\n", {"a|b"}},
      {"remark alone", "[none]", {"[none]"}},
      {"brackets within", "a\n[b]\nc", {"a|[b]|c"}},
      {"fence around all", "```cpp\na\nb\n```", {"a|b"}},
      {"fence of tildes", "~~~\na\n~~~\n", {"a"}},
      {"fence, then a remark", "```\na\n```\n[done]", {"a"}},
      {"remark in the fence", "```\na\n[done]\n```", {"a"}},
      {"fence around all regions", "```\na\n==========\nb\n```", {"a", "b"}},
      {"fence around each", "```\na\n```\n==========\n\n```js\nb\n```\n", {"a", "b"}},
      {"fence that holds one", "````md\na\n```js\nb\n```\nc\n````", {"a|```js|b|```|c"}},
      {"same fences within", "```md\na\n```js\nb\n```\nc\n```", {"a|```js|b|```|c"}},
      {"two blocks of Markdown", "```js\na\n```\nb\n```js\nc\n```", {"```js|a|```|b|```js|c|```"}},
      {"fence that is not closed", "```js\na", {"```js|a"}},
      {"empty fence", "```\n```", {}},
  };
  for (const RegionFormCase& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<std::string> regions;
    for (const Region& region : ParseRegions(c.answer, RegionDividers(c.text)).regions) {
      std::string joined;
      for (const std::string_view line : region.lines) joined.append(line).append("|");
      regions.push_back(joined.substr(0, joined.size() - 1));
    }
    EXPECT_EQ(regions, c.regions);
  }
}

TEST(RegionAnswer, TakesAHundred) {
  std::string answer;
  for (size_t i = 0; i < kMaxRegions + 1; ++i) answer += "a\n==========\n";
  const ParsedRegions parsed = ParseRegions(answer, RegionDividers(""));
  EXPECT_THAT(parsed.regions, SizeIs(kMaxRegions));
  EXPECT_TRUE(parsed.has_more);
}

TEST(RegionAnswer, DividersAreOfAWidthThatTheTextDoesNotHave) {
  const RegionDividers dividers("Title\n==========\nold\nOther\n===========\nend\n====\n");
  EXPECT_EQ(dividers.width(), 12U);
  EXPECT_FALSE(dividers.IsDivider("=========="));
  EXPECT_FALSE(dividers.IsDivider("==========="));
  EXPECT_TRUE(dividers.IsDivider("============"));
  EXPECT_EQ(RegionDividers("====\n").width(), kMinDividerWidth);
}

}  // namespace
}  // namespace cursorwire::room_agent
