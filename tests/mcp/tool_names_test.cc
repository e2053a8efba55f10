#include "mcp/tool_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::mcp {
namespace {

using ::testing::MatchesRegex;

std::string Provider(const std::string& name) {
  std::set<std::string> taken;
  return ProviderName(name, taken);
}

TEST(ProviderName, IsShortAndReadable) {
  EXPECT_EQ(Provider("files"), "files");
  EXPECT_EQ(Provider("my_files v2"), "my-files-v2");
  EXPECT_EQ(Provider("Z\xC3\xBCrich"), "Z-rich");
  EXPECT_THAT(Provider("0123456789012345678901234"), MatchesRegex("012345678901234-[0-9a-f]+"));
  EXPECT_EQ(Provider("0123456789012345678901234").size(), 24u);
  EXPECT_EQ(Provider("0123456789012345678901234"), Provider("0123456789012345678901234"));
}

TEST(ProviderName, IsUnique) {
  std::set<std::string> taken = {"cursorwire"};
  EXPECT_EQ(ProviderName("a b", taken), "a-b");
  const std::string second = ProviderName("a_b", taken);
  EXPECT_THAT(second, MatchesRegex("a-b-[0-9a-f]+"));
  EXPECT_NE(ProviderName("a.b", taken), second);
  EXPECT_THAT(ProviderName("cursorwire", taken), MatchesRegex("cursorwire-[0-9a-f]+"));
}

TEST(ToolName, KeepsWhatFits) {
  std::set<std::string> taken;
  EXPECT_EQ(ToolName("p", "get_it-now", taken), "get_it-now");
  const std::string longest(58, 'x');  // mcp_p_ and this are 64
  EXPECT_TRUE(FitsAsToolName("p", longest));
  EXPECT_EQ(ToolName("p", longest, taken), longest);
  EXPECT_FALSE(FitsAsToolName("p", longest + "x"));
  EXPECT_FALSE(FitsAsToolName("p", "a b"));
  EXPECT_FALSE(FitsAsToolName("p", ""));
}

TEST(ToolName, TellsLongAndOddNamesApart) {
  std::set<std::string> taken;
  const std::string start(60, 'x');
  const std::string one = ToolName("p", start + "1", taken);
  const std::string two = ToolName("p", start + "2", taken);
  EXPECT_NE(one, two);
  EXPECT_EQ(one.size(), 58u);
  EXPECT_THAT(ToolName("p", "a b", taken), MatchesRegex("a_b_[0-9a-f]+"));
  EXPECT_THAT(ToolName("p", "a.b", taken), MatchesRegex("a_b_[0-9a-f]+"));
  EXPECT_THAT(ToolName("p", "\xC3\xA4", taken), MatchesRegex("__[0-9a-f]+"));
  EXPECT_EQ(taken.size(), 5u);
  std::set<std::string> again;
  EXPECT_EQ(ToolName("p", start + "1", again), one);
}

TEST(RequestName, GivesWayToOtherTools) {
  std::set<std::string> taken = {"p_get"};
  EXPECT_THAT(RequestName("p", "get", taken), MatchesRegex("p_get_[0-9a-f]+"));
  EXPECT_EQ(RequestName("p", "set", taken), "p_set");
  EXPECT_LE(RequestName(std::string(24, 'p'), std::string(35, 't'), taken).size(), 64u);
}

}  // namespace
}  // namespace cursorwire::mcp
