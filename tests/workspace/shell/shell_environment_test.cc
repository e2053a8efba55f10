#include "workspace/shell/shell_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::StatusIs;
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
      ShellEnvironment(variables, {}),
      UnorderedElementsAre("PATH=/bin", "HOME=/home/ada", "LANG=C.UTF-8", "LC_ALL=C", "TERM=dumb"));
}

TEST(ShellEnvironment, HasAPathInAnyCase) {
  const char* const none[] = {nullptr};
  EXPECT_THAT(ShellEnvironment(none, {}),
              UnorderedElementsAre("PATH=/usr/local/bin:/usr/bin:/bin", "TERM=dumb"));
  EXPECT_EQ(ShellEnvironment(nullptr, {}).size(), 2U);
}

TEST(ShellEnvironment, HasWhatBuildsNeed) {
  const char* const variables[] = {"PATH=/bin",
                                   "JAVA_HOME=/opt/java",
                                   "CC=clang",
                                   "VIRTUAL_ENV=/venv",
                                   "LC_PAPER=de_DE",
                                   "HTTPS_PROXY=http://user:secret@proxy",
                                   "GITHUB_TOKEN=secret",
                                   "DATABASE_URL=postgres://user:secret@db",
                                   "EDITOR=vi",
                                   "XDG_RUNTIME_DIR=/run/user/1000",
                                   nullptr};
  EXPECT_THAT(ShellEnvironment(variables, {}),
              UnorderedElementsAre("PATH=/bin", "JAVA_HOME=/opt/java", "CC=clang",
                                   "VIRTUAL_ENV=/venv", "LC_PAPER=de_DE", "TERM=dumb"));
}

TEST(ShellEnvironment, HasWhatIsWanted) {
  const char* const variables[] = {
      "PATH=/bin", "SSH_AUTH_SOCK=/agent", "TERM=xterm", "EMPTY=", "OTHER=1", nullptr};
  EXPECT_THAT(
      ShellEnvironment(variables, {"SSH_AUTH_SOCK", "EMPTY", "NOT_SET", "SET=a=b", "PATH=/mine"}),
      UnorderedElementsAre("PATH=/mine", "SSH_AUTH_SOCK=/agent", "EMPTY=", "SET=a=b", "TERM=dumb"));
  EXPECT_THAT(ShellEnvironment(variables, {"TERM"}),
              UnorderedElementsAre("PATH=/bin", "TERM=xterm"));
}

TEST(CheckVariable, TakesNamesOfVariables) {
  for (const char* good : {"A", "_a1", "A=", "A=b=c d"}) EXPECT_THAT(CheckVariable(good), IsOk());
  for (const char* bad :
       {"", "=", "=a", "1A", "A-B", "A B=1", "PWD", "PWD=/", "CURSORWIRE_COMMAND"}) {
    EXPECT_THAT(CheckVariable(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
  EXPECT_THAT(CheckVariable(std::string("A=\0b", 4)), StatusIs(absl::StatusCode::kInvalidArgument));
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
