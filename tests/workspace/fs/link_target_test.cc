#include "workspace/fs/link_target.h"

#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <cstddef>
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
    size_t names_left = kMaxNamesFollowed;
    return WhereItLeads(folder_.At(name), names_left);
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

// As long as links can be, one after the other, through what is there and what is not.
TEST_F(WhereItLeadsTest, FollowsNoMoreNamesThanAreLeft) {
  folder_.Write("x/a.txt", "");
  for (const std::string part : {"x/../", "gone/../", "gone/"}) {
    std::string longest;
    while (longest.size() + part.size() + 8 < PATH_MAX) longest += part;
    for (int link = 0; link < 39; ++link) {
      ::unlink(folder_.At("l" + std::to_string(link)).c_str());
      Link(longest + "l" + std::to_string(link + 1), "l" + std::to_string(link));
    }
    size_t names_left = kMaxNamesFollowed;
    for (int round = 0; round < 50; ++round) WhereItLeads(folder_.At("l0"), names_left);
    EXPECT_EQ(names_left, 0U) << part;
    EXPECT_EQ(WhereItLeads(folder_.At("x/a.txt"), names_left), std::nullopt) << part;
  }
}

TEST_F(WhereItLeadsTest, SaysThatNobodyKnowsHowAPathThatIsTooLongGoesOn) {
  std::string deep;
  while (deep.size() < PATH_MAX) deep += "d/";
  EXPECT_EQ(Leads(deep),
            folder_.At(deep.substr(0, deep.size() - 1)));  // its first part is not there
  folder_.MakeFolder("d");
  Link(".", "d/d");
  EXPECT_EQ(Leads(deep), std::nullopt);
}

TEST_F(WhereItLeadsTest, TakesWhatCannotBeOpenedForWhatIsNotThere) {
  const std::string name(300, 'n');
  EXPECT_EQ(Leads(name), folder_.At(name));
  Link("gone/../" + name + "/../a.txt", "link");
  EXPECT_EQ(Leads("link"), std::nullopt);
  Link("gone/../a.txt", "other");
  EXPECT_EQ(Leads("other"), folder_.At("a.txt"));
}

}  // namespace
}  // namespace cursorwire::workspace
