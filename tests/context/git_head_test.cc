#include "cursorwire/context/project_layout.h"

#include <gtest/gtest.h>

#include <string>

#include "support/scratch_folder.h"

namespace cursorwire::context {
namespace {

TEST(ParseGitHead, FindsTheBranch) {
  EXPECT_EQ(ParseGitHead("ref: refs/heads/main\n"), "main");
  EXPECT_EQ(ParseGitHead("ref: refs/heads/fix/a\xC3\xA4"), "fix/a\xC3\xA4");
  EXPECT_EQ(ParseGitHead("ref: refs/heads/main\r\nrest"), "main");
  EXPECT_EQ(ParseGitHead("0123456789abcdef\n"), "");
  EXPECT_EQ(ParseGitHead("ref: refs/remotes/origin/main"), "");
  EXPECT_EQ(ParseGitHead("ref: refs/heads/\xFF"), "");
  EXPECT_EQ(ParseGitHead(""), "");
}

TEST(ReadGitHead, NeedsARepositoryOfItsOwn) {
  const test::ScratchFolder scratch;
  EXPECT_FALSE(ReadGitHead(scratch.path()));
  EXPECT_FALSE(ReadGitHead(scratch.At("none")));
  scratch.Write("work/.git/HEAD", "ref: refs/heads/main\n");
  const auto repository = ReadGitHead(scratch.At("work"));
  ASSERT_TRUE(repository);
  EXPECT_EQ(repository->path, scratch.At("work"));
  EXPECT_EQ(repository->branch, "main");
  EXPECT_EQ(repository->status, "");

  scratch.Write("detached/.git/HEAD", "0123\n");
  ASSERT_TRUE(ReadGitHead(scratch.At("detached")));
  EXPECT_EQ(ReadGitHead(scratch.At("detached"))->branch, "");
  scratch.Write("worktree/.git", "gitdir: " + scratch.At("work/.git") + "\n");
  EXPECT_FALSE(ReadGitHead(scratch.At("worktree")));
  scratch.MakeFolder("linked");
  scratch.MakeLink("linked/.git", scratch.At("work/.git"));
  EXPECT_FALSE(ReadGitHead(scratch.At("linked")));
  scratch.Write("long/.git/HEAD", "ref: refs/heads/" + std::string(5000, 'x'));
  EXPECT_FALSE(ReadGitHead(scratch.At("long")));
}

}  // namespace
}  // namespace cursorwire::context
