#include "workspace/search/file_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"
#include "workspace/search/file_types.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::StatusIs;

TEST(FileFilter, PassesByGlobAndType) {
  const struct {
    const char* glob;
    const char* type;
    const char* place;  // below "src/", which is searched
    bool passes;
  } kCases[] = {
      {"", "", "src/a.cc", true},
      {"*.cc", "", "src/x/a.cc", true},
      {"*.cc", "", "src/a.h", false},
      {"x/*.cc", "", "src/x/a.cc", true},      // relative to the folder that is searched
      {"src/x/*.cc", "", "src/x/a.cc", true},  // or to the workspace
      {"x/*.cc", "", "src/y/x/a.cc", false},
      {"x/", "", "src/x/y/a.cc", true},
      {"x/", "", "src/y/a.cc", false},
      {"", "cpp", "src/a.cc", true},
      {"", "cpp", "src/a.py", false},
      {"", "cmake", "src/CMakeLists.txt", true},
      {"a.*", "cpp", "src/b.cc", false},
      {"a.*", "cpp", "src/a.cc", true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.glob) + "," + c.type + " on " + c.place);
    const absl::StatusOr<FileFilter> filter = FileFilter::Make(c.glob, c.type);
    ASSERT_THAT(filter, IsOk());
    EXPECT_EQ(filter->Passes(c.place, 4), c.passes);
    EXPECT_TRUE(filter->excluded().empty());
  }
}

TEST(FileFilter, LeavesOutWithAnExclamationMark) {
  const absl::StatusOr<FileFilter> filter = FileFilter::Make("!*.{min.js,map}", "");
  ASSERT_THAT(filter, IsOk());
  EXPECT_EQ(filter->excluded().Check("x/a.map", false), Verdict::kIgnore);
  EXPECT_EQ(filter->excluded().Check("a.js", false), Verdict::kNone);
  EXPECT_TRUE(filter->Passes("src/a.map", 4));  // the walk does not come by
}

TEST(FileFilter, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(FileFilter::Make("[", ""), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(FileFilter::Make("!", ""), StatusIs(absl::StatusCode::kInvalidArgument));
  for (const char* type : {"cobol-60", "cp", ",", "cpp,c++", "pp"}) {
    SCOPED_TRACE(type);
    EXPECT_THAT(FileFilter::Make("", type), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(GlobOfType, KnowsNamesAndShortForms) {
  EXPECT_EQ(GlobOfType("py"), GlobOfType("python"));
  EXPECT_EQ(GlobOfType("rust"), "*.rs");
  EXPECT_EQ(GlobOfType("c"), "*.{c,h,H,cats}");
  EXPECT_EQ(GlobOfType(""), "");
}

TEST(GlobOfType, HasGlobsThatParse) {
  for (const char* type :
       {"asm", "bazel", "c", "cmake", "cpp", "docker", "make", "ruby", "sh", "terraform", "zig"}) {
    SCOPED_TRACE(type);
    EXPECT_THAT(FileFilter::Make("", type), IsOk());
  }
}

}  // namespace
}  // namespace cursorwire::workspace
