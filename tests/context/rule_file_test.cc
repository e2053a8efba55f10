#include "cursorwire/context/rule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursorwire::context {
namespace {

using ::testing::ElementsAre;

TEST(ParseRuleFile, TakesWhatTheFrontMatterSays) {
  const struct {
    const char* name;
    const char* text;
    RuleUse use;
    std::vector<std::string> globs;
    const char* description;
    const char* content;
  } cases[] = {
      {"none", "Be brief.\n", RuleUse::kAlways, {}, "", "Be brief.\n"},
      {"always",
       "---\ndescription: d\nglobs: *.cc\nalwaysApply: true\n---\nX\n",
       RuleUse::kAlways,
       {},
       "",
       "X\n"},
      {"globs",
       "---\nglobs: *.cc, src/*.{h,hpp}\nalwaysApply: false\n---\nX",
       RuleUse::kForFiles,
       {"*.cc", "src/*.{h,hpp}"},
       "",
       "X"},
      {"list",
       "---\r\nglobs:\r\n  - \"*.cc\"\r\n  - '*.h'\r\n---\r\nX",
       RuleUse::kForFiles,
       {"*.cc", "*.h"},
       "",
       "X"},
      {"brackets",
       "---\nglobs: [\"*.cc\", '*.h']\n---\nX",
       RuleUse::kForFiles,
       {"*.cc", "*.h"},
       "",
       "X"},
      {"description",
       "---\ndescription: \"About: SQL\"\nglobs:\n---\nX",
       RuleUse::kOnRequest,
       {},
       "About: SQL",
       "X"},
      {"by name", "---\nalwaysApply: \"true\"\n---\n", RuleUse::kByName, {}, "", ""},
      {"not closed", "---\nglobs: *.cc\n", RuleUse::kAlways, {}, "", "---\nglobs: *.cc\n"},
      {"not at the start", "X\n---\nY\n---\n", RuleUse::kAlways, {}, "", "X\n---\nY\n---\n"},
      {"closed without a line end", "---\nglobs: a\n---", RuleUse::kForFiles, {"a"}, "", ""},
      {"empty", "---\n---\nX", RuleUse::kByName, {}, "", "X"},
      {"nothing", "", RuleUse::kAlways, {}, "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const AgentRule rule = ParseRuleFile("/p", c.text);
    EXPECT_EQ(rule.use, c.use);
    EXPECT_EQ(rule.globs, c.globs);
    EXPECT_EQ(rule.description, c.description);
    EXPECT_EQ(rule.content, c.content);
    EXPECT_EQ(rule.path, "/p");
  }
}

TEST(WithinFolder, ChangesWhatAppliesByItself) {
  AgentRule rule = WithinFolder({.content = "X"}, "a/b");
  EXPECT_EQ(rule.use, RuleUse::kForFiles);
  EXPECT_THAT(rule.globs, ElementsAre("a/b/**"));
  EXPECT_EQ(rule.content, "X");

  rule = WithinFolder({.use = RuleUse::kForFiles, .globs = {"*.cc", "src/*.h", "/top.md", "**/x"}},
                      "a");
  EXPECT_THAT(rule.globs, ElementsAre("a/**/*.cc", "a/src/*.h", "a/top.md", "a/**/x"));

  rule = WithinFolder({.use = RuleUse::kOnRequest, .description = "d"}, "a");
  EXPECT_EQ(rule.use, RuleUse::kOnRequest);
  EXPECT_THAT(rule.globs, ElementsAre());
  EXPECT_EQ(WithinFolder({.use = RuleUse::kByName}, "a").use, RuleUse::kByName);
}

TEST(WithinFolder, TakesTheNameOfAFolderAsItIs) {
  EXPECT_THAT(WithinFolder({}, "[id]/{a}*").globs, ElementsAre("\\[id\\]/\\{a\\}\\*/**"));
}

}  // namespace
}  // namespace cursorwire::context
