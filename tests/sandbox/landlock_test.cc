#include "sandbox/landlock.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "base/file_descriptor.h"
#include "process/child_process.h"
#include "process/read_to_end.h"
#include "process/running_commands.h"
#include "sandbox/filter.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::sandbox {
namespace {

using test::ReadToEnd;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

// Everything may be read, "inside" may be changed, "outside" may not.
class LandlockTest : public testing::Test {
 protected:
  void SetUp() override {
    if (LandlockAbi() < 2 || !HasFilter()) {
      GTEST_SKIP() << "Landlock ABI " << LandlockAbi() << ", filter: " << HasFilter();
    }
    folder_.MakeFolder("inside");
    folder_.Write("outside/file", "kept");
    options_ = {.abi = LandlockAbi(),
                .grants = {{.path = "/"},
                           {.path = folder_.At("inside"), .write = true},
                           {.path = folder_.At("missing"), .write = true}}};
  }

  // What a script writes to both outputs.
  std::string Run(const std::string& script) {
    const absl::StatusOr<std::string> filter =
        MakeFilter({.in_namespaces = false, .refuse_truncate = options_.abi < 3});
    EXPECT_TRUE(filter.ok());
    options_.filter = filter.value();
    const FileDescriptor here(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const process::Program program{.file = "/bin/sh",
                                   .arguments = {"sh", "-c", "exec 2>&1; " + script},
                                   .environment = {"PATH=/usr/bin:/bin:/usr/sbin", "LC_ALL=C"},
                                   .folder = here.get(),
                                   .run_spawn = [this](const std::function<void()>& spawn) {
                                     absl::Status status;
                                     std::thread([&] {
                                       status = RestrictThread(options_);
                                       if (status.ok()) spawn();
                                     }).join();
                                     return status;
                                   }};
    const auto child = process::ChildProcess::Start(program, process::ChildInput::kNone, running_);
    return child.ok() ? ReadToEnd((*child)->output()) : std::string(child.status().message());
  }
  std::string Content(const std::string& name) const {
    std::ifstream file(folder_.At(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  test::ScratchFolder folder_;
  LandlockOptions options_;
  process::RunningCommands running_;
};

TEST_F(LandlockTest, WritesOutsideFail) {
  EXPECT_THAT(Run("echo x >outside/new"), HasSubstr("Permission denied"));
  EXPECT_THAT(Run("echo x >outside/file"), HasSubstr("Permission denied"));
  EXPECT_THAT(Run("echo x >>outside/file"), HasSubstr("Permission denied"));
  EXPECT_THAT(Run("rm outside/file"), HasSubstr("Permission denied"));
  EXPECT_THAT(Run("mkdir outside/folder"), HasSubstr("Permission denied"));
  EXPECT_THAT(Run("mv outside/file inside/"), Not(HasSubstr("moved")));
  EXPECT_THAT(Run("ln outside/file inside/linked; echo y >inside/linked"), HasSubstr("ln: failed"));
  EXPECT_THAT(Run("truncate -s 0 outside/file"), HasSubstr("cannot open"));
  EXPECT_EQ(Content("outside/file"), "kept");
}

TEST_F(LandlockTest, WritesInsideWork) {
  EXPECT_EQ(
      Run("cd inside && mkdir -p a/b && echo x >a/b/f && mv a/b/f g && ln -s g l && ln g h && "
          "mkfifo p && truncate -s 0 g && cat outside/file 2>/dev/null; rm -r a h; ls"),
      "g\nl\np\n");
  EXPECT_EQ(Run("cat outside/file"), "kept");
}

TEST_F(LandlockTest, CommonDevicesWork) {
  EXPECT_EQ(
      Run("echo x >/dev/null && head -c 3 /dev/zero | wc -c && head -c 3 /dev/urandom | wc -c "
          "&& cat </dev/null"),
      "3\n3\n");
  EXPECT_THAT(Run("echo x >/dev/full"), HasSubstr("error"));
}

TEST_F(LandlockTest, TruncateOutsideFailsOnAbi2) {
  constexpr const char* kScript =
      "perl -e 'sysopen(F,\"outside/file\",512) and print \"opened\"; print \"|$!|\"; "
      "sysopen(F,\"outside/file\",512|3) and print \"opened\"; print \"|$!|\"; "
      "truncate(\"outside/file\",0) and print \"cut\";'";
  for (const int abi : {2, LandlockAbi()}) {
    SCOPED_TRACE(abi);
    options_.abi = abi;
    const std::string out = Run(kScript);
    EXPECT_THAT(out, Not(HasSubstr("opened")));
    EXPECT_THAT(out, Not(HasSubstr("cut")));
    EXPECT_EQ(Content("outside/file"), "kept");
  }
}

TEST_F(LandlockTest, RootHasNoCapabilities) {
  EXPECT_THAT(Run("grep Cap /proc/self/status"),
              ::testing::AllOf(HasSubstr("CapPrm:\t0000000000000000"),
                               HasSubstr("CapEff:\t0000000000000000"),
                               HasSubstr("CapAmb:\t0000000000000000")));
}

TEST_F(LandlockTest, ThereIsNoNetwork) {
  constexpr const char* kConnect =
      "perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0) or print \"no socket: $!\"'";
  EXPECT_THAT(Run(kConnect), HasSubstr("no socket: Operation not permitted"));
}

TEST_F(LandlockTest, AbstractSocketUnreachable) {
  if (LandlockAbi() < 6) GTEST_SKIP() << "Landlock before ABI 6 does not hold them";
  const FileDescriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t size = sizeof(sa_family_t);  // the kernel chooses a name
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  size = sizeof address;
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string name(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
  const std::string out =
      Run(absl::StrCat("perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0) or die; "
                       "connect(S,pack(\"Sa*\",AF_UNIX,chr(0).\"",
                       name, "\")) ? print \"connected\" : print \"$!\"'"));
  EXPECT_THAT(out, HasSubstr("Operation not permitted"));
}

TEST_F(LandlockTest, ProcessesOutsideAreUnreachable) {
  const std::string out = Run(absl::StrCat("kill -0 ", ::getpid(), " && echo reached; cat /proc/",
                                           ::getpid(), "/environ >/dev/null && echo read"));
  if (LandlockAbi() >= 6) {
    EXPECT_THAT(out, Not(HasSubstr("reached")));
  }
  EXPECT_THAT(out, Not(HasSubstr("read\n")));
}

TEST_F(LandlockTest, RestrictsTheChildAlone) {
  Run("true");
  folder_.Write("outside/later", "written");
  EXPECT_EQ(Content("outside/later"), "written");
}

TEST_F(LandlockTest, TellsWhenItCannot) {
  absl::Status status;
  std::thread([&] { status = RestrictThread({.abi = LandlockAbi()}); }).join();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no filter")));
  std::thread([&] { status = RestrictThread({}); }).join();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Landlock")));
}

}  // namespace
}  // namespace cursorwire::sandbox
