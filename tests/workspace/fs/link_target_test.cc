#include "workspace/fs/link_target.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "support/scratch_folder.h"

namespace cursorwire::workspace {
namespace {

using test::ScratchFolder;

class WhereItLeadsTest : public ::testing::Test {
 protected:
  void Link(const std::string& target, const std::string& name) {
    ASSERT_EQ(::symlink(target.c_str(), folder_.At(name).c_str()), 0);
  }
  std::optional<std::string> Leads(const std::string& name) {
    return WhereItLeads(folder_.At(name));
  }

  ScratchFolder folder_;
};

TEST_F(WhereItLeadsTest, FollowsLinksAlsoToWhatIsNotThere) {
  folder_.Write("a/b.txt", "");
  Link("a/b.txt", "file");
  Link("file", "again");
  Link("a/new.txt", "dangling");
  Link("a", "folder");
  Link(folder_.At("a"), "absolute");
  Link("..", "a/up");
  EXPECT_EQ(Leads("a/b.txt"), folder_.At("a/b.txt"));
  EXPECT_EQ(Leads("./a//../a/b.txt"), folder_.At("a/b.txt"));
  EXPECT_EQ(Leads("again"), folder_.At("a/b.txt"));
  EXPECT_EQ(Leads("dangling"), folder_.At("a/new.txt"));
  EXPECT_EQ(Leads("folder/x/y"), folder_.At("a/x/y"));
  EXPECT_EQ(Leads("absolute/x"), folder_.At("a/x"));
  EXPECT_EQ(Leads("folder/up/a/b.txt"), folder_.At("a/b.txt"));
}

TEST_F(WhereItLeadsTest, SaysWhereNobodyKnows) {
  Link("loop", "loop");
  Link("/proc/self/cwd/x", "process");
  Link("process", "there");
  EXPECT_EQ(Leads("loop"), std::nullopt);
  EXPECT_EQ(Leads("process"), std::nullopt);
  EXPECT_EQ(Leads("there/y"), std::nullopt);
}

}  // namespace
}  // namespace cursorwire::workspace
