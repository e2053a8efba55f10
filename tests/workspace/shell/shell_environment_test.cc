#include "workspace/shell/shell_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "support/scratch_folder.h"

namespace cursorwire::workspace {
namespace {

using ::testing::UnorderedElementsAre;

TEST(ShellEnvironment, HasWhatCommandsNeedAndNothingElse) {
  const char* const variables[] = {"PATH=/bin",
                                   "HOME=/home/ada",
                                   "LANG=C.UTF-8",
                                   "LC_ALL=C",
                                   "TERM=xterm",
                                   "PATHS=1",
                                   "MY_PATH=1",
                                   "CURSOR_ACCESS_TOKEN=secret",
                                   "AWS_SECRET_ACCESS_KEY=secret",
                                   "SSH_AUTH_SOCK=/agent",
                                   "LD_PRELOAD=evil.so",
                                   "no equals sign",
                                   nullptr};
  EXPECT_THAT(
      ShellEnvironment(variables),
      UnorderedElementsAre("PATH=/bin", "HOME=/home/ada", "LANG=C.UTF-8", "LC_ALL=C", "TERM=dumb"));
}

TEST(ShellEnvironment, HasAPathInAnyCase) {
  const char* const none[] = {nullptr};
  EXPECT_THAT(ShellEnvironment(none),
              UnorderedElementsAre("PATH=/usr/local/bin:/usr/bin:/bin", "TERM=dumb"));
  EXPECT_EQ(ShellEnvironment(nullptr).size(), 2U);
}

TEST(ShellOf, IsBashOrZshWhereThatIsTheUsers) {
  const test::ScratchFolder folder;
  for (const char* name : {"bash", "zsh", "fish"}) {
    folder.Write(name, "");
    ASSERT_EQ(::chmod(folder.At(name).c_str(), 0755), 0);
  }
  EXPECT_EQ(ShellOf({"PATH=/bin", "SHELL=" + folder.At("bash")}), folder.At("bash"));
  EXPECT_EQ(ShellOf({"SHELL=" + folder.At("zsh")}), folder.At("zsh"));
  EXPECT_EQ(ShellOf({"SHELL=" + folder.At("fish")}), "/bin/sh");
  EXPECT_EQ(ShellOf({"SHELL=" + folder.At("none/bash")}), "/bin/sh");
  EXPECT_EQ(ShellOf({"SHELL=bash"}), "/bin/sh");
  EXPECT_EQ(ShellOf({}), "/bin/sh");
}

}  // namespace
}  // namespace cursorwire::workspace
