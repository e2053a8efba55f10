#include "cursorwire/context/project_rules.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/scratch_folder.h"

namespace cursorwire::context {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ProjectRulesTest : public ::testing::Test {
 protected:
  ProjectRules Read(RuleOptions options = {}) {
    options.timeout = std::chrono::seconds(60);
    return ReadProjectRules(scratch_.At("work"), options);
  }
  static std::vector<std::string> Failures(const ProjectRules& rules) {
    std::vector<std::string> failures;
    for (const absl::Status& failure : rules.failures) {
      failures.emplace_back(failure.message());
    }
    return failures;
  }

  test::ScratchFolder scratch_;
};

TEST_F(ProjectRulesTest, ReadsFilesOfTheFolderAlone) {
  scratch_.Write("work/AGENTS.md", "A");
  scratch_.Write("work/.cursorrules", "L");
  scratch_.Write("work/.cursor/rules/b.mdc", "B");
  scratch_.Write("work/.cursor/rules/a.md", "C");
  scratch_.Write("work/.cursor/rules/c.txt", "D");
  scratch_.Write("work/.cursor/rules/d.mdc", "\xFF");
  scratch_.Write("work/.cursor/rules/front/end.mdc", "E");
  scratch_.Write("outside.mdc", "secret");
  scratch_.MakeLink("work/.cursor/rules/e.mdc", scratch_.At("outside.mdc"));
  scratch_.MakeLink("work/.cursor/rules/up", scratch_.path());
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.names, ElementsAre("AGENTS.md", ".cursorrules", ".cursor/rules/a.md",
                                       ".cursor/rules/b.mdc", ".cursor/rules/front/end.mdc"));
  ASSERT_THAT(rules.rules, SizeIs(5));
  EXPECT_EQ(rules.rules[3].content, "B");
  EXPECT_EQ(rules.rules[3].use, RuleUse::kAlways);
  EXPECT_EQ(rules.rules[3].path, scratch_.At("work/.cursor/rules/b.mdc"));
  EXPECT_THAT(Failures(rules), ElementsAre(HasSubstr("d.mdc are not used: this is no text"),
                                           HasSubstr("e.mdc are not used")));
}

TEST_F(ProjectRulesTest, TellsNoSecretThatALinkNames) {
  scratch_.Write("work/prod.env", "SECRET");
  scratch_.Write("work/notes.md", "SECRET");
  scratch_.Write("work/docs/rules.md", "shared rules");
  scratch_.Write("work/.cursorignore", "*.env\nnotes.md\n");
  scratch_.Write("work/.cursor/rules/a.mdc", "A");
  scratch_.MakeLink("work/AGENTS.md", "prod.env");
  scratch_.MakeLink("work/.cursor/rules/b.mdc", "../../notes.md");
  scratch_.MakeLink("work/.cursor/rules/c.mdc", "../../docs/rules.md");
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.names, ElementsAre(".cursor/rules/a.mdc", ".cursor/rules/c.mdc"));
  EXPECT_THAT(Failures(rules),
              ElementsAre("the rules of AGENTS.md are not used: this is a link to what is no file "
                          "of rules",
                          "the rules of .cursor/rules/b.mdc are not used: this is a link to a file "
                          "that is ignored"));
}

// One search finds what all links name, also by names that a glob would read in another way.
// The kernel follows it, though no path can say where it leads.
TEST_F(ProjectRulesTest, TellsNoSecretThroughALinkThatIsTooLong) {
  scratch_.Write("work/.env", "secret");
  scratch_.Write("work/.gitignore", ".env");
  const int work = ::open(scratch_.At("work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(work, 0);
  std::string deep;
  std::string up;
  while (scratch_.At("work").size() + deep.size() < PATH_MAX) {
    const bool is_far = scratch_.At("work").size() + deep.size() + 110 < PATH_MAX;
    deep += std::string(is_far ? 100 : 1, 'd') + "/";
    up += "../";
    ASSERT_EQ(::mkdirat(work, deep.c_str(), 0700), 0);
  }
  ASSERT_EQ(::symlinkat((up + ".env").c_str(), work, (deep + "u").c_str()), 0);
  ASSERT_EQ(::symlinkat((deep + "u").c_str(), work, "AGENTS.md"), 0);
  ::close(work);
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.rules, IsEmpty());
  EXPECT_THAT(Failures(rules), ElementsAre(HasSubstr("nobody can tell where this leads")));
}

TEST_F(ProjectRulesTest, FollowsLinksToFilesOfAnyName) {
  scratch_.Write("work/docs/[team]/{a,b}.md", "one");
  scratch_.Write("work/docs/*/c.mdc", "two");
  scratch_.Write("work/old/.cursorrules", "three");
  scratch_.Write("work/docs/ignored/d.md", "SECRET");
  scratch_.Write("work/.gitignore", "ignored\n");
  scratch_.MakeLink("work/AGENTS.md", "docs/[team]/{a,b}.md");
  scratch_.MakeLink("work/.cursorrules", "old/.cursorrules");
  scratch_.MakeFolder("work/.cursor/rules");
  scratch_.MakeLink("work/.cursor/rules/c.mdc", "../../docs/*/c.mdc");
  scratch_.MakeLink("work/.cursor/rules/d.mdc", "../../docs/ignored/d.md");
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.names, ElementsAre("AGENTS.md", ".cursorrules", ".cursor/rules/c.mdc"));
  EXPECT_THAT(Failures(rules), SizeIs(1));
}

TEST_F(ProjectRulesTest, LooksForAllLinksWithinItsTime) {
  scratch_.Write("work/docs/a.md", "one");
  scratch_.MakeLink("work/AGENTS.md", "docs/a.md");
  scratch_.MakeLink("work/.cursorrules", "docs/a.md");
  const ProjectRules rules =
      ReadProjectRules(scratch_.At("work"), {.timeout = std::chrono::milliseconds(0)});
  EXPECT_THAT(rules.names, IsEmpty());
  EXPECT_THAT(Failures(rules), Contains(HasSubstr("too large to look through")).Times(3));
}

TEST_F(ProjectRulesTest, NeedsNoRules) {
  scratch_.MakeFolder("work");
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.rules, IsEmpty());
  EXPECT_THAT(rules.failures, IsEmpty());
}

TEST_F(ProjectRulesTest, SaysThatThereIsNoFolder) { EXPECT_THAT(Failures(Read()), SizeIs(1)); }

TEST_F(ProjectRulesTest, AppliesThoseOfASubfolderThere) {
  scratch_.Write("work/AGENTS.md", "top");
  scratch_.Write("work/b/AGENTS.md", "b");
  scratch_.Write("work/a/c/.cursor/rules/x.mdc", "---\nglobs: *.ts\n---\nx");
  scratch_.Write("work/a/c/.cursor/rules/sub/y.md", "y");
  scratch_.Write("work/out/AGENTS.md", "ignored");
  scratch_.Write("work/a/AGENTS.md.txt", "no");
  scratch_.Write("work/.gitignore", "out\n");
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.names, ElementsAre("AGENTS.md", "a/c/.cursor/rules/sub/y.md",
                                       "a/c/.cursor/rules/x.mdc", "b/AGENTS.md"));
  ASSERT_THAT(rules.rules, SizeIs(4));
  EXPECT_THAT(rules.rules[0].globs, IsEmpty());
  EXPECT_THAT(rules.rules[1].globs, ElementsAre("a/c/**"));
  EXPECT_THAT(rules.rules[2].globs, ElementsAre("a/c/**/*.ts"));
  EXPECT_THAT(rules.rules[3].globs, ElementsAre("b/**"));
  EXPECT_EQ(rules.rules[3].path, scratch_.At("work/b/AGENTS.md"));
  EXPECT_THAT(rules.failures, IsEmpty());
  EXPECT_THAT(Read({.subfolders = false}).names, ElementsAre("AGENTS.md"));
}

TEST_F(ProjectRulesTest, ReadsIgnoredRulesOfTheFolderItself) {
  scratch_.Write("work/.gitignore", ".cursor/**\nAGENTS.md\n");
  scratch_.Write("work/.cursor/rules/a.mdc", "A");
  scratch_.Write("work/AGENTS.md", "B");
  EXPECT_THAT(Read().names, ElementsAre("AGENTS.md", ".cursor/rules/a.mdc"));
}

TEST_F(ProjectRulesTest, DoesNotLookIntoAFolderElsewhere) {
  scratch_.Write("other/private.mdc", "secret");
  scratch_.MakeFolder("work/.cursor");
  scratch_.MakeLink("work/.cursor/rules", scratch_.At("other"));
  const ProjectRules rules = Read();
  EXPECT_THAT(rules.names, IsEmpty());
  EXPECT_THAT(
      Failures(rules),
      ElementsAre("the rules of .cursor/rules are not used: this is outside of the folder"));
}

// One rule that is no text would fail each turn.
TEST_F(ProjectRulesTest, MakesTextOfAnyPath) {
  scratch_.Write("\xFF/AGENTS.md", "A");
  scratch_.Write("\xFF/.cursor/rules/\xFE.mdc", "B");
  scratch_.Write("\xFF/\xFE/AGENTS.md", "C");
  const ProjectRules rules = ReadProjectRules(scratch_.At("\xFF"));
  ASSERT_THAT(rules.rules, SizeIs(2));
  EXPECT_THAT(rules.rules[0].path, EndsWith("/\xEF\xBF\xBD/AGENTS.md"));
  EXPECT_THAT(rules.rules[1].path, EndsWith("/.cursor/rules/\xEF\xBF\xBD.mdc"));
  EXPECT_THAT(Failures(rules), ElementsAre(HasSubstr("\xEF\xBF\xBD/AGENTS.md are not used")));
}

TEST_F(ProjectRulesTest, HasBounds) {
  for (const char* name : {"a", "b", "c", "d"}) {
    scratch_.Write(absl::StrCat("work/.cursor/rules/", name, ".md"), std::string(10, 'x'));
  }
  ProjectRules rules = Read({.max_files = 2});
  EXPECT_THAT(rules.names, ElementsAre(EndsWith("a.md"), EndsWith("b.md")));
  EXPECT_THAT(Failures(rules), ElementsAre("2 files of rules are not used: there are more than 2"));
  rules = Read({.max_file_bytes = 9});
  EXPECT_THAT(rules.names, IsEmpty());
  EXPECT_THAT(Failures(rules), SizeIs(4));
  EXPECT_THAT(Failures(rules)[0], HasSubstr("a.md are not used: this is larger than 9 bytes"));
  rules = Read({.max_bytes = 25});
  EXPECT_THAT(rules.names, SizeIs(2));
  EXPECT_THAT(Failures(rules),
              ElementsAre(HasSubstr("c.md are not used: all rules together are larger than 25"),
                          HasSubstr("d.md are not used")));
}

}  // namespace
}  // namespace cursorwire::context
