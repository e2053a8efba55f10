// What channel.h says of fork().
#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>

#include "cursorwire/connect/channel.h"
#include "support/errors.h"
#include "support/test_server.h"

extern "C" char** environ;  // POSIX: no header declares it

namespace cursorwire::connect {
namespace {

using test::IsOk;
using test::TestServer;

std::set<int> OpenDescriptors() {
  std::set<int> open;
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return open;
  while (const dirent* entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != ::dirfd(folder)) open.insert(fd);
  }
  ::closedir(folder);
  return open;
}

int ExitCodeOf(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, LeavesNoDescriptorOfAChannelToAnExec) {
  const std::set<int> before = OpenDescriptors();
  const TestServer server({.security = Security::kTls});
  const Channel channel = server.Connect();
  ASSERT_THAT(channel.Unary("/unary", "x"), IsOk());
  int of_ours = 0;
  for (const int fd : OpenDescriptors()) {
    if (before.contains(fd)) continue;
    ++of_ours;
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << "descriptor " << fd;
  }
  EXPECT_GE(of_ours, 3) << "the connection and the two ends of the waker's pipe at least";
}

TEST(Fork, AChildThatExitsOrExecsDoesNotDisturbTheParent) {
  for (const Security security : {Security::kPlaintext, Security::kTls}) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/echo");
    ASSERT_THAT(stream.Send("before"), IsOk());
    EXPECT_EQ(**stream.Next(), "before");

    const pid_t exits = ::fork();
    if (exits == 0) ::_exit(7);
    ASSERT_GT(exits, 0);
    EXPECT_EQ(ExitCodeOf(exits), 7);

    char name[] = "true";
    char* arguments[] = {name, nullptr};
    const pid_t execs = ::fork();
    if (execs == 0) {
      ::execvp(name, arguments);
      ::_exit(126);
    }
    ASSERT_GT(execs, 0);
    EXPECT_EQ(ExitCodeOf(execs), 0);

    pid_t spawned = 0;
    ASSERT_EQ(::posix_spawnp(&spawned, name, nullptr, nullptr, arguments, environ), 0);
    EXPECT_EQ(ExitCodeOf(spawned), 0);

    ASSERT_THAT(stream.Send("after"), IsOk());
    EXPECT_EQ(**stream.Next(), "after");
    EXPECT_THAT(channel.Unary("/unary", "x"), IsOk());
    EXPECT_EQ(server.stats().accepted, 1);
    EXPECT_EQ(server.stats().closed, 0);
    stream.CloseSend();
    EXPECT_FALSE(stream.Next().has_value());
  }
}

}  // namespace
}  // namespace cursorwire::connect
