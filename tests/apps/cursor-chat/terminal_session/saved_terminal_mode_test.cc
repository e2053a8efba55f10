#include "terminal_session/saved_terminal_mode.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/file_descriptor.h"
#include "output/terminal_mode_mutex.h"

namespace cursor_chat {
namespace {

class SavedTerminalModeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(screen_.get(), 0);
    ASSERT_EQ(::grantpt(screen_.get()), 0);
    ASSERT_EQ(::unlockpt(screen_.get()), 0);
    char name[64];
    ASSERT_EQ(::ptsname_r(screen_.get(), name, sizeof(name)), 0);
    terminal_ = cursorwire::FileDescriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_GE(terminal_.get(), 0);
  }

  bool IsQuiet() const {
    termios mode{};
    EXPECT_EQ(::tcgetattr(terminal_.get(), &mode), 0);
    return (mode.c_lflag & (ECHO | ICANON)) == 0;
  }

  cursorwire::FileDescriptor screen_{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  cursorwire::FileDescriptor terminal_{-1};
};

TEST_F(SavedTerminalModeTest, RestoresAtItsEnd) {
  {
    const SavedTerminalMode mode(terminal_.get(), SavedTerminalMode::Paste::kPlain);
    mode.Quiet();
    EXPECT_TRUE(IsQuiet());
  }
  EXPECT_FALSE(IsQuiet());
}

// In a process of its own: nobody can change the mode there any more.
TEST_F(SavedTerminalModeTest, NobodyChangesTheModeBehindTheEnd) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const SavedTerminalMode mode(terminal_.get(), SavedTerminalMode::Paste::kPlain);
    mode.Quiet();
    mode.RestoreForGood();
    std::thread([&mode] { mode.Quiet(); }).detach();
    const bool free = TerminalModeMutex().try_lock_for(std::chrono::milliseconds(100));
    ::_exit(free || IsQuiet() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(IsQuiet());
}

// A change that hangs, as on a terminal that was stopped, does not hold up the end.
TEST_F(SavedTerminalModeTest, TheEndDoesNotWaitForEver) {
  const SavedTerminalMode mode(terminal_.get(), SavedTerminalMode::Paste::kPlain);
  mode.Quiet();
  {
    const std::lock_guard hangs(TerminalModeMutex());
    std::thread([&mode] { mode.RestoreForGood(); }).join();
  }
  EXPECT_FALSE(IsQuiet());
}

// As with Ctrl-S: what is written waits until it goes on.
TEST_F(SavedTerminalModeTest, TheEndDoesNotWaitForAStoppedTerminal) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    const SavedTerminalMode mode(terminal_.get(), SavedTerminalMode::Paste::kBracketed);
    mode.Quiet();
    ::tcflow(terminal_.get(), TCOOFF);
    mode.RestoreForGood();
    ::_exit(IsQuiet() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace cursor_chat
