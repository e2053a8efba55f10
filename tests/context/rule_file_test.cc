#include "cursorwire/context/project_rules.h"

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

// Forms of the head that are found in public rules.
TEST(ParseRuleFile, TakesGlobsHoweverTheyAreWritten) {
  const struct {
    const char* name;
    const char* head;
    std::vector<std::string> globs;
  } cases[] = {
      {"list in brackets", "globs: [\"*.ts\", \"*.tsx\"]", {"*.ts", "*.tsx"}},
      {"single quotes", "globs: ['*.ts', '*.tsx']", {"*.ts", "*.tsx"}},
      {"without quotes", "globs: [*.ts, src/**/*.{h,cc}]", {"*.ts", "src/**/*.{h,cc}"}},
      {"quotes without brackets", "globs: \"*.ts\", \"*.tsx\"", {"*.ts", "*.tsx"}},
      {"quotes around all", "globs: \"*.ts, *.{a,b}\"", {"*.ts", "*.{a,b}"}},
      {"brackets over lines",
       "globs: [\n  \"*.ts\", # one\n  '*.tsx',\n]\nx: y",
       {"*.ts", "*.tsx"}},
      {"brackets with a comment", "globs: [a, b] # why", {"a", "b"}},
      {"comment", "globs: *.ts # why", {"*.ts"}},
      {"no comment", "globs: a#b", {"a#b"}},
      {"comment in quotes", "globs: \"a #b\"", {"a #b"}},
      {"class", "globs: [ab]*.ts, c[de]", {"[ab]*.ts", "c[de]"}},
      {"list with comments",
       "globs: # these\n  # one\n  - \"*.ts\" # why\n\n  - b\nx: y",
       {"*.ts", "b"}},
      {"list that is not indented", "globs:\n- a\n- 'b'", {"a", "b"}},
      {"list after a remark", "globs:\n- a\n# remark\n- b", {"a", "b"}},
      {"lines of a block", "globs: |\n  a\n  b, c\nx: y", {"a", "b", "c"}},
      {"over lines", "globs: a,\n  b", {"a", "b"}},
      {"the last one counts", "globs: a\nglobs: b", {"b"}},
      {"quoted key", "\"globs\": a", {"a"}},
      {"not the key of another", "other:\n  globs: b\nglobs: a", {"a"}},
      {"open bracket", "globs: [a, b\n  c\nx: y", {"[a, b c"}},
      {"apostrophe", "globs: it's, b # why", {"it's", "b"}},
      {"not true", "globs: a\nalwaysApply: maybe", {"a"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const AgentRule rule = ParseRuleFile("/p", std::string("---\n") + c.head + "\n---\nX");
    EXPECT_EQ(rule.use, RuleUse::kForFiles);
    EXPECT_EQ(rule.globs, c.globs);
    EXPECT_EQ(rule.content, "X");
  }
}

TEST(ParseRuleFile, KnowsTrueHoweverItIsWritten) {
  for (const char* value : {"true", "True", "TRUE", " true # why", "true\r"}) {
    const std::string text = std::string("---\nglobs: a\nalwaysApply: ") + value + "\n---\nX";
    EXPECT_EQ(ParseRuleFile("/p", text).use, RuleUse::kAlways) << value;
  }
}

TEST(ParseRuleFile, TakesDescriptionsHoweverTheyAreWritten) {
  const struct {
    const char* name;
    const char* head;
    const char* description;
  } cases[] = {
      {"folded", "description: >-\n  About\n  SQL: all\nglobs:", "About SQL: all"},
      {"folded with a number", "description: >2\n  About\n", "About"},
      {"kept", "description: |\n  About\n  SQL # it\n", "About\nSQL # it"},
      {"over lines", "description: About\n  SQL # why\n", "About SQL"},
      {"on the next line", "description:\n  About SQL\n", "About SQL"},
      {"quotes over lines", "description: \"About\n  SQL\"\n", "About SQL"},
      {"comment", "description: About SQL # why", "About SQL"},
      {"a number sign", "description: C# and F#", "C# and F#"},
      {"quotes", "description: 'it''s'", "it's"},
      {"escapes", "description: \"a \\\"b\\\" \\\\ c\"", "a \"b\" \\ c"},
      {"greater", "description: > 3 files", "> 3 files"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const AgentRule rule = ParseRuleFile("/p", std::string("---\n") + c.head + "\n---\nX");
    EXPECT_EQ(rule.use, RuleUse::kOnRequest);
    EXPECT_EQ(rule.description, c.description);
  }
}

TEST(ParseRuleFile, PassesOverAByteOrderMark) {
  const AgentRule rule = ParseRuleFile("/p", "\xEF\xBB\xBF---\r\nglobs: a\r\n---\r\nX");
  EXPECT_EQ(rule.use, RuleUse::kForFiles);
  EXPECT_THAT(rule.globs, ElementsAre("a"));
  EXPECT_EQ(rule.content, "X");
  EXPECT_EQ(ParseRuleFile("/p", "\xEF\xBB\xBFX").content, "X");
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
