#include "terminal_session/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/scratch_folder.h"

namespace cursor_chat {
namespace {

using cursorwire::AgentRule;
using cursorwire::RuleUse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ParseRule, TakesWhatTheFrontMatterSays) {
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
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const AgentRule rule = ParseRule("/p", c.text);
    EXPECT_EQ(rule.use, c.use);
    EXPECT_EQ(rule.globs, c.globs);
    EXPECT_EQ(rule.description, c.description);
    EXPECT_EQ(rule.content, c.content);
    EXPECT_EQ(rule.path, "/p");
  }
}

TEST(ReadWorkspaceRules, ReadsFilesOfTheFolderAlone) {
  const cursorwire::test::ScratchFolder scratch;
  const std::string folder = scratch.path() + "/work";
  std::filesystem::create_directories(folder + "/.cursor/rules");
  std::ofstream(folder + "/AGENTS.md") << "A";
  std::ofstream(folder + "/.cursor/rules/b.mdc") << "B";
  std::ofstream(folder + "/.cursor/rules/a.md") << "C";
  std::ofstream(folder + "/.cursor/rules/c.txt") << "D";
  std::ofstream(folder + "/.cursor/rules/d.mdc") << "\xFF";
  std::ofstream(scratch.path() + "/outside.mdc") << "secret";
  std::filesystem::create_symlink(scratch.path() + "/outside.mdc", folder + "/.cursor/rules/e.mdc");
  const Rules rules = ReadWorkspaceRules(folder);
  EXPECT_THAT(rules.names, ElementsAre("AGENTS.md", ".cursor/rules/a.md", ".cursor/rules/b.mdc"));
  ASSERT_THAT(rules.rules, SizeIs(3));
  EXPECT_EQ(rules.rules[2].content, "B");
  EXPECT_THAT(rules.rules[2].path, ::testing::EndsWith("/.cursor/rules/b.mdc"));
  ASSERT_THAT(rules.failures, SizeIs(2));
  EXPECT_THAT(std::string(rules.failures[0].message()), HasSubstr("d.mdc are not used"));
  EXPECT_THAT(std::string(rules.failures[1].message()), HasSubstr("e.mdc are not used"));
}

TEST(ReadWorkspaceRules, NeedsNoRules) {
  const cursorwire::test::ScratchFolder scratch;
  const Rules rules = ReadWorkspaceRules(scratch.path());
  EXPECT_THAT(rules.rules, SizeIs(0));
  EXPECT_THAT(rules.failures, SizeIs(0));
}

TEST(ReadRuleFiles, AlwaysApply) {
  const cursorwire::test::ScratchFolder scratch;
  const std::string file = scratch.path() + "/r.mdc";
  std::ofstream(file) << "---\nglobs: *.cc\n---\nX";
  const auto rules = ReadRuleFiles({file});
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_THAT(*rules, SizeIs(1));
  EXPECT_EQ((*rules)[0].use, RuleUse::kAlways);
  EXPECT_EQ((*rules)[0].content, "X");
  EXPECT_EQ(ReadRuleFiles({scratch.path() + "/none"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace cursor_chat
