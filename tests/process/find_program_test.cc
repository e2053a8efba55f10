#include "process/find_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::process {
namespace {

using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

class FindProgramTest : public testing::Test {
 protected:
  FindProgramTest() {
    Make("one/tool");
    Make("two/tool");
    Make("two/other");
    Make("planted");
    Make("here/planted");
    folder_.Write("one/other", "no program");
    folder_.MakeFolder("one/folder");
  }

  void Make(const std::string& name) {
    folder_.Write(name, "");
    EXPECT_EQ(::chmod(folder_.At(name).c_str(), 0700), 0);
  }
  absl::StatusOr<std::string> Find(const std::string& name) {
    return FindProgram(name,
                       folder_.At("none") + "::here:" + folder_.At("one") + ":" + folder_.At("two"),
                       folder_.path());
  }

  test::ScratchFolder folder_;
};

TEST_F(FindProgramTest, LooksThroughThePath) {
  EXPECT_THAT(Find("tool"), IsOkAndHolds(folder_.At("one/tool")));
  // What may not be run is passed by, as a shell does.
  EXPECT_THAT(Find("other"), IsOkAndHolds(folder_.At("two/other")));
}

TEST_F(FindProgramTest, TakesAPathAsItIs) {
  EXPECT_THAT(Find("./two/tool"), IsOkAndHolds(folder_.At("./two/tool")));
  EXPECT_THAT(Find(folder_.At("two/tool")), IsOkAndHolds(folder_.At("two/tool")));
}

TEST_F(FindProgramTest, PassesByEntriesThatStandForTheCurrentFolder) {
  EXPECT_THAT(Find("planted"), StatusIs(kNotFound));
  EXPECT_THAT(FindProgram("tool", "", folder_.At("one")), StatusIs(kNotFound));
  EXPECT_THAT(FindProgram("tool", ".:one", folder_.path()), StatusIs(kNotFound));
}

TEST_F(FindProgramTest, SaysWhyThereIsNone) {
  EXPECT_THAT(Find("missing"), StatusIs(kNotFound, HasSubstr("no program missing in PATH")));
  EXPECT_THAT(Find("one/missing"), StatusIs(kNotFound, HasSubstr("no program one/missing")));
  EXPECT_THAT(Find("folder"), StatusIs(kNotFound));
  EXPECT_THAT(Find(""), StatusIs(kNotFound));
  EXPECT_THAT(Find("one/other"), StatusIs(kPermissionDenied, HasSubstr("may not run")));
}

}  // namespace
}  // namespace cursorwire::process
