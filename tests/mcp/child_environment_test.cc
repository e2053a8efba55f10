#include "mcp/child_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cursorwire::mcp {
namespace {

using ::testing::ElementsAre;

TEST(ChildEnvironment, HandsOnWhatIsSafe) {
  const char* const variables[] = {"HOME=/h",
                                   "PATH=/p",
                                   "CURSOR_API_KEY=secret",
                                   "AWS_SECRET=x",
                                   "LANG=C",
                                   "LC_ALL=C.UTF-8",
                                   "LC_TIME=C",
                                   "NODE_OPTIONS=x",
                                   "XDG_RUNTIME_DIR=/r",
                                   "TMPDIR=/t",
                                   "odd",
                                   nullptr};
  const auto environment = ChildEnvironment(variables, {{"KEY", "v"}, {"LANG", "de"}});
  EXPECT_THAT(environment, ElementsAre("HOME=/h", "KEY=v", "LANG=de", "LC_ALL=C.UTF-8", "PATH=/p",
                                       "TMPDIR=/t", "XDG_RUNTIME_DIR=/r"));
  EXPECT_EQ(PathOf(environment), "/p");
}

TEST(ChildEnvironment, AlwaysHasAPath) {
  EXPECT_THAT(ChildEnvironment(nullptr, {}), ElementsAre("PATH=/usr/local/bin:/usr/bin:/bin"));
  EXPECT_EQ(PathOf({}), "");
}

}  // namespace
}  // namespace cursorwire::mcp
