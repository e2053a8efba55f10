#include "sandbox/sandbox.h"

#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "sandbox/filter.h"
#include "sandbox/sandbox_fixture.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A unix socket that somebody listens to; an empty path: an abstract one.
class UnixServer {
 public:
  explicit UnixServer(const std::string& path)
      : server_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    socklen_t size = path.empty() ? sizeof(sa_family_t) : sizeof address;
    EXPECT_EQ(::bind(server_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(server_.get(), 5), 0);
    size = sizeof address;
    EXPECT_EQ(::getsockname(server_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    if (path.empty()) {
      abstract_.assign(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
    }
  }
  // Without the zero byte at its start.
  const std::string& abstract() const { return abstract_; }

 private:
  FileDescriptor server_;
  std::string abstract_;
};

// A TCP server on the loopback of this machine.
class LoopbackServer {
 public:
  LoopbackServer() : server_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(server_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(server_.get(), 5), 0);
    EXPECT_EQ(::getsockname(server_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }

 private:
  FileDescriptor server_;
  int port_ = 0;
};

// A script that prints "connected", or why not.
std::string ConnectTo(const std::string& address, const char* family) {
  return absl::StrCat("perl -MSocket -e 'socket(S,", family,
                      ",SOCK_STREAM,0) or die \"socket: $!\\n\"; connect(S,", address,
                      ") ? print \"connected\" : print \"$!\"' 2>&1");
}
std::string ConnectToPath(const std::string& path) {
  return ConnectTo(absl::StrCat("pack_sockaddr_un(\"", path, "\")"), "PF_UNIX");
}
std::string ConnectToPort(const std::string& host, int port) {
  return ConnectTo(absl::StrCat("pack_sockaddr_in(", port, ",inet_aton(\"", host, "\"))"),
                   "PF_INET");
}
std::string ConnectToAbstract(const std::string& name) {
  return ConnectTo(absl::StrCat("pack(\"Sa*\",AF_UNIX,chr(0).\"", name, "\")"), "PF_UNIX");
}

// A script that prints the error of a system call.
std::string Syscall(const std::string& arguments) {
  return absl::StrCat("perl -e 'syscall(", arguments, ") < 0 ? print \"$!\" : print \"worked\"'");
}

// The end of what others have written to a pipe with a name: all of them have ended.
class Witness {
 public:
  explicit Witness(const std::string& path)
      : pipe_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}

  bool SeesALine() { return Wait() && ReadOnce() > 0; }
  bool SeesTheEnd() {
    while (Wait()) {
      if (ReadOnce() == 0) return true;
    }
    return false;
  }

 private:
  bool Wait() {
    constexpr int kPatienceMilliseconds = 60'000;
    pollfd wait{.fd = pipe_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, kPatienceMilliseconds) == 1;
  }
  ssize_t ReadOnce() {
    std::array<char, 64> block{};
    return ::read(pipe_.get(), block.data(), block.size());
  }

  FileDescriptor pipe_;
};

// Two processes, one in a session of its own, that hold the pipe until they are killed.
constexpr const char* kHoldPipe =
    "exec 3>pipe; setsid sh -c 'exec cat /dev/zero >/dev/null' & echo up >&3; "
    "exec cat /dev/zero >/dev/null";

class KernelTest : public SandboxTest {
 protected:
  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static bool IsThere(const std::string& path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0;
  }
  std::string OutputOf(const SandboxPolicy& policy, const std::string& line) {
    const SandboxRun run = Run(policy, line);
    EXPECT_TRUE(run.status.ok()) << Text(run);
    EXPECT_TRUE(run.end.setup.ok()) << Text(run);
    return run.out + run.err;
  }
  std::string OutputOf(const std::string& line) { return OutputOf({}, line); }
};

TEST_F(KernelTest, WritesOutsideFail) {
  folder().Write("outside/file", "kept");
  EXPECT_THAT(OutputOf("echo x >../outside/new"), HasSubstr("Read-only file system"));
  EXPECT_THAT(OutputOf("echo x >../outside/file"), HasSubstr("Read-only file system"));
  EXPECT_THAT(OutputOf("rm ../outside/file"), HasSubstr("Read-only file system"));
  EXPECT_THAT(OutputOf("chmod 777 ../outside/file"), HasSubstr("Read-only file system"));
  EXPECT_EQ(Content(folder().At("outside/file")), "kept");
  EXPECT_EQ(OutputOf("echo x >new"), "");
  EXPECT_EQ(Content(folder().At("workspace/new")), "x\n");
}

TEST_F(KernelTest, ExitCodeAndOutputAreThoseOfTheCommand) {
  const SandboxRun run = Run({}, "echo out; echo err >&2; exit 7");
  EXPECT_TRUE(run.end.setup.ok()) << Text(run);
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.out, "out\n");
  EXPECT_EQ(run.err, "err\n");
  EXPECT_THAT(run.end.appeared, IsEmpty());
}

TEST_F(KernelTest, SetupFailureIsNotExitOne) {
  folder().Write("outside/bwrap", "#!/bin/sh\necho 'bwrap: no' >&2; exit 1\n");
  ASSERT_EQ(::chmod(folder().At("outside/bwrap").c_str(), 0755), 0);
  options().support.bwrap = folder().At("outside/bwrap");
  const SandboxRun run = Run({}, "echo ran");
  EXPECT_THAT(run.end.setup, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("did not run")));
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "bwrap: no\n");
}

TEST_F(KernelTest, ExitOneIsNoSetupFailure) {
  const SandboxRun run = Run({}, "exit 1");
  EXPECT_THAT(run.end.setup, IsOk());
  EXPECT_EQ(run.exit_code, 1);
}

TEST_F(KernelTest, FolderThatCannotBeSeenIsToldBefore) {
  folder().MakeFolder("home/.gnupg/inner");
  for (const std::string& path : {folder().At("home/.gnupg/inner"), std::string("/tmp")}) {
    const FileDescriptor hidden(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    process::Program program = Shell("echo ran");
    program.folder = hidden.get();
    EXPECT_THAT(Run({}, program).status, StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
  }
}

TEST_F(KernelTest, TmpIsKeptBetweenCommands) {
  const std::string name = absl::StrCat("/tmp/cursorwire-test-", ::getpid());
  EXPECT_EQ(OutputOf("echo kept >" + name), "");
  EXPECT_EQ(OutputOf("cat " + name), "kept\n");
  EXPECT_FALSE(IsThere(name));
  EXPECT_THAT(OutputOf({.tmp_write = false}, "echo x >" + name), HasSubstr("Read-only"));
}

TEST_F(KernelTest, LoopbackServerWorks) {
  EXPECT_EQ(OutputOf("perl -MSocket -e '"
                     "socket(S,PF_INET,SOCK_STREAM,0) or die; "
                     "bind(S,pack_sockaddr_in(0,INADDR_LOOPBACK)) or die; listen(S,1) or die; "
                     "my $address = getsockname(S); "
                     "if (!fork) { socket(C,PF_INET,SOCK_STREAM,0); connect(C,$address) or die; "
                     "syswrite(C,\"hello\"); exit } "
                     "accept(A,S) or die; sysread(A,my $text,5); print $text; wait'"),
            "hello");
}

TEST_F(KernelTest, NoRouteOutside) {
  const LoopbackServer server;
  EXPECT_THAT(OutputOf(ConnectToPort("192.0.2.1", 80)), HasSubstr("unreachable"));
  EXPECT_THAT(OutputOf(ConnectToPort("127.0.0.1", server.port())), HasSubstr("refused"));
  EXPECT_EQ(OutputOf({.network = true}, ConnectToPort("127.0.0.1", server.port())), "connected");
}

TEST_F(KernelTest, TiocstiIsRefused) {
  if (!sandbox::HasFilter()) GTEST_SKIP() << "built without libseccomp";
  EXPECT_EQ(OutputOf("perl -e '$c=\"x\"; ioctl(STDIN,0x5412,$c) or print $!'"),
            "Operation not permitted");
}

TEST_F(KernelTest, IoUringIsRefused) {
  if (!sandbox::HasFilter()) GTEST_SKIP() << "built without libseccomp";
  EXPECT_EQ(OutputOf(Syscall("425,1,0")), "Function not implemented");
}

TEST_F(KernelTest, Clone3NewUserIsRefused) {
  if (!sandbox::HasFilter()) GTEST_SKIP() << "built without libseccomp";
  EXPECT_EQ(OutputOf(Syscall("435,$a=pack(\"Q8\",0x10000000,0,0,0,17,0,0,0),64")),
            "Function not implemented");
  EXPECT_THAT(OutputOf("unshare -Ur echo worked"), Not(HasSubstr("worked")));
}

#ifdef __x86_64__
TEST_F(KernelTest, X32SyscallsAreRefused) {
  if (!sandbox::HasFilter()) GTEST_SKIP() << "built without libseccomp";
  EXPECT_EQ(OutputOf(Syscall("0x40000000|39")), "Operation not permitted");
}
#endif

TEST_F(KernelTest, RootHasNoCapabilities) {
  EXPECT_THAT(OutputOf("grep Cap /proc/self/status"),
              AllOf(HasSubstr("CapPrm:\t0000000000000000"), HasSubstr("CapEff:\t0000000000000000"),
                    HasSubstr("CapBnd:\t0000000000000000")));
  EXPECT_THAT(OutputOf("echo 1 >/proc/sys/vm/swappiness"), Not(IsEmpty()));
}

TEST_F(KernelTest, DockerSocketUnreachable) {
  const std::string path = folder().At("outside/docker.sock");
  const UnixServer server(path);
  environment().push_back("DOCKER_HOST=unix://" + path);
  EXPECT_EQ(RunOutside(ConnectToPath(path)).out, "connected");
  EXPECT_THAT(OutputOf(ConnectToPath(path)), Not(HasSubstr("connected")));
  EXPECT_EQ(OutputOf("echo \"$DOCKER_HOST\""), "\n");
}

TEST_F(KernelTest, SshAgentUnreachable) {
  const std::string path = folder().At("outside/agent.sock");
  const UnixServer server(path);
  environment().push_back("SSH_AUTH_SOCK=" + path);
  EXPECT_EQ(RunOutside(ConnectToPath(path)).out, "connected");
  EXPECT_THAT(OutputOf(ConnectToPath(path)), Not(HasSubstr("connected")));
  EXPECT_EQ(OutputOf("echo \"$SSH_AUTH_SOCK\""), "\n");
}

TEST_F(KernelTest, AbstractSocketUnreachable) {
  const UnixServer server("");
  EXPECT_EQ(RunOutside(ConnectToAbstract(server.abstract())).out, "connected");
  EXPECT_THAT(OutputOf(ConnectToAbstract(server.abstract())), HasSubstr("refused"));
}

TEST_F(KernelTest, VariablesActInsideAlone) {
  // bubblewrap itself would not start with such a library.
  folder().Write("workspace/libcap.so.2", "no library");
  environment().push_back("LD_LIBRARY_PATH=" + workspace());
  EXPECT_EQ(OutputOf("echo $LD_LIBRARY_PATH"), workspace() + "\n");
}

TEST_F(KernelTest, KillEndsAll) {
  folder().MakePipe("workspace/pipe");
  Witness witness(folder().At("workspace/pipe"));
  absl::StatusOr<StartedCommand> started = Start({}, Shell(kHoldPipe));
  ASSERT_THAT(started, IsOk());
  ASSERT_TRUE(witness.SeesALine());
  const pid_t pid = started->command().pid();
  EXPECT_GT(pid, 0);
  EXPECT_NE(pid, started->child().pid());
  EXPECT_EQ(::kill(pid, 0), 0);
  EXPECT_EQ(started->command().pid(), pid);
  EXPECT_THAT(started->child().Kill(), IsOk());
  EXPECT_TRUE(witness.SeesTheEnd());
  // It ran, so that the sandbox was set up.
  EXPECT_THAT(started->command().Finish().setup, IsOk());
}

TEST_F(KernelTest, KillOfTheProcessToldEndsAll) {
  folder().MakePipe("workspace/pipe");
  Witness witness(folder().At("workspace/pipe"));
  absl::StatusOr<StartedCommand> started = Start({}, Shell(kHoldPipe));
  ASSERT_THAT(started, IsOk());
  ASSERT_TRUE(witness.SeesALine());
  EXPECT_EQ(::kill(started->command().pid(), SIGKILL), 0);
  EXPECT_TRUE(witness.SeesTheEnd());
}

TEST_F(KernelTest, ParentDeathKillsAll) {
  folder().MakePipe("workspace/pipe");
  Witness witness(folder().At("workspace/pipe"));
  const pid_t parent = ::fork();
  if (parent == 0) {
    const absl::StatusOr<StartedCommand> started = Start({}, Shell(kHoldPipe));
    while (started.ok()) ::pause();
    ::_exit(1);
  }
  ASSERT_TRUE(witness.SeesALine());
  EXPECT_EQ(::kill(parent, SIGKILL), 0);
  EXPECT_TRUE(witness.SeesTheEnd());
  EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
}

// What Landlock does in place of bubblewrap.
class PartialTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (options().support.landlock_abi < 2 || !sandbox::HasFilter()) {
      GTEST_SKIP() << "Landlock ABI " << options().support.landlock_abi
                   << ", filter: " << sandbox::HasFilter();
    }
    options().support.backend = sandbox::Backend::kPartial;
    options().allow_partial = true;
  }
};

TEST_F(PartialTest, WritesOutsideFail) {
  folder().Write("outside/file", "kept");
  EXPECT_THAT(OutputOf("echo x >../outside/new"), HasSubstr("Permission denied"));
  EXPECT_THAT(OutputOf("echo x >../outside/file"), HasSubstr("Permission denied"));
  EXPECT_THAT(OutputOf("rm ../outside/file"), HasSubstr("Permission denied"));
  EXPECT_EQ(Content(folder().At("outside/file")), "kept");
  EXPECT_EQ(OutputOf("echo x >new"), "");
  EXPECT_EQ(Content(folder().At("workspace/new")), "x\n");
  EXPECT_THAT(OutputOf({.workspace = WorkspaceAccess::kRead}, "echo x >other"),
              HasSubstr("Permission denied"));
}

TEST_F(PartialTest, TruncateOutsideFailsOnAbi2) {
  options().support.landlock_abi = 2;
  folder().Write("outside/file", "kept");
  EXPECT_EQ(OutputOf("perl -e 'sysopen(F,\"../outside/file\",512) and print \"opened\"; "
                     "truncate(\"../outside/file\",0) and print \"cut\";'"),
            "");
  EXPECT_EQ(Content(folder().At("outside/file")), "kept");
}

TEST_F(PartialTest, TmpIsKeptBetweenCommands) {
  EXPECT_EQ(OutputOf("echo kept >$TMPDIR/file"), "");
  EXPECT_EQ(OutputOf("cat $TMPDIR/file"), "kept\n");
  EXPECT_THAT(OutputOf("echo $TMPDIR"), HasSubstr("cursorwire-sandbox-"));
}

TEST_F(PartialTest, NoNetworkUnlessGranted) {
  const LoopbackServer server;
  EXPECT_THAT(OutputOf(ConnectToPort("127.0.0.1", server.port())), StartsWith("socket: "));
  EXPECT_EQ(OutputOf({.network = true}, ConnectToPort("127.0.0.1", server.port())), "connected");
}

TEST_F(PartialTest, KillEndsAll) {
  folder().MakePipe("workspace/pipe");
  Witness witness(folder().At("workspace/pipe"));
  absl::StatusOr<StartedCommand> started = Start({}, Shell(kHoldPipe));
  ASSERT_THAT(started, IsOk());
  ASSERT_TRUE(witness.SeesALine());
  EXPECT_THAT(started->child().Kill(), IsOk());
  EXPECT_TRUE(witness.SeesTheEnd());
}

TEST_F(PartialTest, IsNeverTakenSilently) {
  options().allow_partial = false;
  folder().MakeFolder("workspace/.git/hooks");
  folder().Write("workspace/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_THAT(Run({}, "true").status, StatusIs(absl::StatusCode::kUnimplemented));
}

class NoneTest : public KernelTest {};

TEST_F(NoneTest, SaysWhy) {
  options().support = {.why_not = "the moon is full"};
  EXPECT_THAT(Run({}, "true").status,
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("the moon is full")));
}

}  // namespace
}  // namespace cursorwire::test
