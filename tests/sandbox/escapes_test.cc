#include <absl/status/statusor.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "sandbox/sandbox_fixture.h"
#include "sandbox/support.h"

namespace cursorwire::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

constexpr size_t kLeastTried = 60;
constexpr char kProgramVariable[] = "CURSORWIRE_ESCAPES";

// What gets out without a sandbox whoever the user is, on every machine.
constexpr const char* kGetOut[] = {
    "open-write",
    "open-append",
    "open-create",
    "open-truncate",
    "creat",
    "truncate",
    "rename",
    "rename-out",
    "link-outside",
    "link-in",
    "link-out",
    "symlink",
    "write-through-symlink",
    "unlink",
    "mkdir",
    "rmdir",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchown",
    "utimensat",
    "futimens",
    "mkfifo",
    "bind-socket-outside",
    "write-home",
    "proc-self-root",
    "kill-outside",
    "tgkill-outside",
    "priority-outside",
    "limits-outside",
    "shared-memory-outside",
    "tcp-loopback",
    "tcp-mapped-loopback",
    "hidden-socket",
    "abstract-socket",
    "secret-read",
    "secret-by-self-root",
    "secret-by-link",
    "secret-by-path-descriptor",
    "secret-by-rename-of-parent",
    "ignored-read",
    "ignored-by-link",
    "ignored-by-rename",
    "ignored-by-rename-of-parent",
    "tmp-outside",
    "git-hook",
    "git-config",
    "git-config-replace",
    "git-config-by-link",
    "git-config-by-symlink",
    "git-by-descriptor",
    "git-mode",
    "git-rename",
    "workspace-rename",
    "vscode-file",
    "vscode-rename",
    "vscode-replace",
    "envrc-write",
    "envrc-replace",
    "envrc-by-symlink",
    "envrc-by-link",
    "mcp-file",
};

// A server that takes connections and never answers.
FileDescriptor Listen(const sockaddr* address, socklen_t size) {
  FileDescriptor server(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(server.get(), address, size), 0) << std::strerror(errno);
  EXPECT_EQ(::listen(server.get(), 64), 0) << std::strerror(errno);
  return server;
}

// `name`: a path, or an abstract name after a zero byte.
FileDescriptor ListenUnix(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(name.size(), sizeof(address.sun_path)) << "TEST_TMPDIR is too long for a socket";
  std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof(address.sun_path) - 1));
  return Listen(reinterpret_cast<const sockaddr*>(&address),
                static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()));
}

FileDescriptor ListenTcp(int& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  FileDescriptor server = Listen(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  socklen_t size = sizeof(address);
  EXPECT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return server;
}

// A file in /tmp of the machine.
class FileInTmp {
 public:
  FileInTmp() {
    const FileDescriptor file(::mkstemp(path_.data()));
    EXPECT_EQ(::write(file.get(), "x", 1), 1);
  }
  ~FileInTmp() { ::unlink(path_.c_str()); }
  FileInTmp(const FileInTmp&) = delete;
  FileInTmp& operator=(const FileInTmp&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/cursorwire-escapes-XXXXXX";
};

class SharedMemory {
 public:
  SharedMemory() : id_(::shmget(IPC_PRIVATE, 4096, 0600)) { EXPECT_GE(id_, 0); }
  ~SharedMemory() { ::shmctl(id_, IPC_RMID, nullptr); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  int id() const { return id_; }

 private:
  const int id_;
};

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    names.insert(entry.path());
  }
  return names;
}

// The lines of the program, by their second word: "held:", "OUT:" or "skipped:".
std::vector<std::string> LinesWith(const SandboxRun& run, const std::string& word) {
  std::vector<std::string> lines;
  std::istringstream all(run.out);
  for (std::string line; std::getline(all, line);) {
    const size_t space = line.find(' ');
    if (space != std::string::npos && line.compare(space + 1, word.size(), word) == 0) {
      lines.push_back(line);
    }
  }
  return lines;
}

// Everything that the program attacks.
class EscapesTest : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const char* const program = std::getenv(kProgramVariable);
    ASSERT_NE(program, nullptr) << kProgramVariable << " must name the program \"escapes\"";
    program_ = fs::canonical(program);
    MakeTargets();
    ListenToAll();
    environment().push_back("XDG_RUNTIME_DIR=" + folder().At("run"));
    policy_.hidden = {folder().At("workspace/sub/ignored")};
  }

  // Tries those of that name; none: all.
  process::Program Escapes(const std::vector<std::string>& names = {}) {
    process::Program program{.file = program_, .arguments = {"escapes"}};
    program.arguments.insert(program.arguments.end(), names.begin(), names.end());
    program.environment = environment();
    program.environment.insert(program.environment.end(), targets_.begin(), targets_.end());
    return program;
  }

  const SandboxPolicy& policy() const { return policy_; }

 private:
  void MakeTargets() {
    ScratchFolder& all = folder();
    all.Write("outside/file", "outside\n");
    all.MakeFolder("outside/empty");
    all.MakeFolder("run");
    all.Write("home/.ssh/id_rsa", "secret\n");
    all.Write("workspace/sub/ignored", "ignored\n");
    all.Write("workspace/.envrc", "true\n");
    all.Write("workspace/.mcp.json", "{}\n");
    all.Write("workspace/.vscode/tasks.json", "{}\n");
    all.Write("workspace/.git/HEAD", "ref: refs/heads/main\n");
    all.Write("workspace/.git/config", "[core]\n\tbare = false\n");
    for (const char* folder : {"hooks", "objects", "refs/heads"}) {
      all.MakeFolder(absl::StrCat("workspace/.git/", folder));
    }
  }

  void ListenToAll() {
    const std::string abstract = absl::StrCat("cursorwire-escapes-", ::getpid());
    int port = 0;
    servers_.push_back(ListenUnix(folder().At("run/socket")));
    servers_.push_back(ListenUnix(std::string(1, '\0') + abstract));
    servers_.push_back(ListenTcp(port));
    targets_ = {"ESCAPES_OUTSIDE=" + folder().At("outside/file"),
                "ESCAPES_FOLDER=" + outside(),
                "ESCAPES_WORKSPACE=" + workspace(),
                "ESCAPES_SECRET=" + folder().At("home/.ssh/id_rsa"),
                "ESCAPES_IGNORED=" + folder().At("workspace/sub/ignored"),
                "ESCAPES_TMP=" + tmp_.path(),
                "ESCAPES_SOCKET=" + folder().At("run/socket"),
                "ESCAPES_ABSTRACT=" + abstract,
                absl::StrCat("ESCAPES_PORT=", port),
                absl::StrCat("ESCAPES_PID=", ::getpid()),
                absl::StrCat("ESCAPES_SHM=", memory_.id())};
  }

  std::string program_;
  std::vector<std::string> targets_;
  std::vector<FileDescriptor> servers_;
  FileInTmp tmp_;
  SharedMemory memory_;
  SandboxPolicy policy_;
};

TEST_F(EscapesTest, AllAreHeld) {
  if (!options().support.has_filter) GTEST_SKIP() << "built without libseccomp: there is no filter";
  const std::set<std::string> before = NamesIn(folder().path());
  const SandboxRun run = Run(policy(), Escapes());
  EXPECT_TRUE(run.end.setup.ok()) << Text(run);
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  EXPECT_THAT(LinesWith(run, "OUT:"), IsEmpty());
  EXPECT_THAT(LinesWith(run, "skipped:"), IsEmpty());
  EXPECT_GE(LinesWith(run, "held:").size(), kLeastTried) << Text(run);
  EXPECT_EQ(NamesIn(folder().path()), before);
  EXPECT_EQ(Read(folder().At("outside/file")), "outside\n");
  EXPECT_EQ(Read(folder().At("workspace/.envrc")), "true\n");
}

// What the user has granted must not open anything else. With the network, the loopback and
// abstract sockets are those of the machine.
TEST_F(EscapesTest, AllButTheNetworkAreHeldWithTheNetwork) {
  if (!options().support.has_filter) GTEST_SKIP() << "built without libseccomp: there is no filter";
  SandboxPolicy policy = this->policy();
  policy.network = true;
  const SandboxRun run = Run(policy, Escapes());
  const std::set<std::string> granted = {"tcp-loopback",   "tcp-fast-open", "tcp-mapped-loopback",
                                         "tcp-outside",    "udp-outside",   "udp6-outside",
                                         "abstract-socket"};
  for (const std::string& line : LinesWith(run, "OUT:")) {
    EXPECT_EQ(granted.count(line.substr(0, line.find(' '))), 1U) << line;
  }
  EXPECT_GE(LinesWith(run, "held:").size(), kLeastTried) << Text(run);
}

// Wherever the variables of this process say that a server listens, also with the network.
TEST_F(EscapesTest, ServersThatVariablesNameAreOutOfReach) {
  const std::string path = folder().At("servers/socket");
  folder().MakeFolder("servers");
  const FileDescriptor server = ListenUnix(path);
  process::Program program = Escapes({"hidden-socket", "hidden-socket-by-root"});
  program.environment.push_back("ESCAPES_SOCKET=" + path);
  std::erase_if(program.environment, [this](const std::string& variable) {
    return variable == "ESCAPES_SOCKET=" + folder().At("run/socket");
  });
  EXPECT_EQ(RunOutside(program).exit_code, 1);
  const std::vector<std::string> plain = environment();
  for (const std::string& variable :
       {"SSH_AUTH_SOCK=" + path, "DOCKER_HOST=unix://" + path, "GPG_AGENT_INFO=" + path + ":1:1",
        "DBUS_SESSION_BUS_ADDRESS=unix:path=" + path + ",guid=1", "XDG_RUNTIME_DIR=" + outside()}) {
    SCOPED_TRACE(variable);
    environment() = plain;
    environment().push_back(variable);
    ForgetSandbox();
    for (const bool network : {false, true}) {
      const SandboxRun run = Run({.network = network}, program);
      const bool is_named = variable.find(path) != std::string::npos;
      EXPECT_EQ(run.exit_code, is_named ? 0 : 1) << Text(run);
    }
  }
}

// A workspace that may only be read.
TEST_F(EscapesTest, NothingInAReadOnlyWorkspaceChanges) {
  const std::set<std::string> before = NamesIn(workspace());
  SandboxPolicy policy = this->policy();
  policy.workspace = WorkspaceAccess::kRead;
  const SandboxRun run = Run(policy, Escapes({"git-hook", "git-config", "git-rename", "vscode-file",
                                              "envrc-write", "link-in", "open-write"}));
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  const SandboxRun made = Run(policy, "echo x > new");
  EXPECT_NE(made.exit_code, 0) << Text(made);
  EXPECT_EQ(NamesIn(workspace()), before);
}

// What the user makes meanwhile is no work of a command that can change nothing.
TEST_F(EscapesTest, FilesOfTheUserStayInAReadOnlyWorkspace) {
  const SandboxPolicy policy{.workspace = WorkspaceAccess::kRead};
  absl::StatusOr<StartedCommand> started =
      Start(policy, Shell("echo runs; cat"), process::ChildInput::kPipe);
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_EQ(started->ReadLine(), "runs");
  folder().Write("workspace/new/.envrc", "true\n");
  folder().Write("workspace/new/.vscode/tasks.json", "{}\n");
  started->child().CloseInput();
  const SandboxRun run = started->Finish();
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  EXPECT_THAT(run.end.appeared, IsEmpty());
  EXPECT_TRUE(fs::exists(folder().At("workspace/new/.envrc")));
  EXPECT_TRUE(fs::exists(folder().At("workspace/new/.vscode/tasks.json")));
}

// What the program attacks is there: without a sandbox it gets out.
TEST_F(EscapesTest, WithoutASandboxTheyGetOut) {
  const std::set<std::string> before = NamesIn(folder().path());
  const SandboxRun run = RunOutside(Escapes({std::begin(kGetOut), std::end(kGetOut)}));
  EXPECT_EQ(run.exit_code, 1) << Text(run);
  EXPECT_EQ(LinesWith(run, "OUT:").size(), std::size(kGetOut));
  EXPECT_THAT(LinesWith(run, "held:"), IsEmpty());
  EXPECT_THAT(LinesWith(run, "skipped:"), IsEmpty());
  EXPECT_EQ(NamesIn(folder().path()), before) << "what got out did not put things back";
  EXPECT_EQ(Read(folder().At("outside/file")), "outside\n");
  EXPECT_EQ(Read(folder().At("workspace/.envrc")), "true\n");
}

// This program, with these arguments, after those of another program.
process::Program OwnProgram(std::vector<std::string> before, const std::string& filter,
                            std::vector<std::string> environment) {
  std::vector<std::string> arguments = std::move(before);
  const std::string file = arguments[0];
  arguments.insert(arguments.end(), {fs::read_symlink("/proc/self/exe"), "--gtest_filter=" + filter,
                                     "--gtest_also_run_disabled_tests"});
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", kProgramVariable}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) environment.push_back(absl::StrCat(name, "=", value));
  }
  return {.file = file, .arguments = std::move(arguments), .environment = std::move(environment)};
}

// Root has the tests of this program run by a user who owns nothing.
TEST_F(EscapesTest, AllAreHeldForAnOrdinaryUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "AllAreHeld is run by an ordinary user";
  constexpr char kSetpriv[] = "/usr/bin/setpriv";
  constexpr uid_t kNobody = 65534;
  if (!fs::exists(kSetpriv)) GTEST_SKIP() << "there is no " << kSetpriv;
  const std::vector<std::string> as_nobody = {kSetpriv, "--reuid=65534", "--regid=65534",
                                              "--clear-groups"};
  folder().MakeFolder("nobody");
  ASSERT_EQ(::chown(folder().At("nobody").c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chmod(folder().path().c_str(), 0755), 0);
  process::Program look{.file = kSetpriv, .arguments = as_nobody, .environment = environment()};
  look.arguments.insert(
      look.arguments.end(),
      {"sh", "-c", "test -x \"$1\" && test -x \"$2\" && test -w \"$3\"", "sh",
       fs::read_symlink("/proc/self/exe"), std::getenv(kProgramVariable), folder().At("nobody")});
  if (RunOutside(look).exit_code != 0) {
    GTEST_SKIP() << "user 65534 cannot reach this program, " << kProgramVariable
                 << " or TEST_TMPDIR";
  }
  const SandboxRun run = RunOutside(
      OwnProgram(as_nobody, "EscapesTest.AllAreHeld", {"TEST_TMPDIR=" + folder().At("nobody")}));
  if (absl::StrContains(run.out, "[  SKIPPED ]")) GTEST_SKIP() << run.out;
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  EXPECT_THAT(run.out, HasSubstr("[  PASSED  ] 1 test.")) << run.err;
}

// Only run by UnsupportedTest.
TEST(ProbeTest, DISABLED_TellsWhatItFinds) {
  const sandbox::Support support = sandbox::Probe();
  std::cout << "full: " << (support.backend == sandbox::Backend::kFull ? "yes" : "no")
            << "; why not: " << support.why_not << "\n";
}

// What Probe() says in a user namespace that forbids further ones; nullopt where none can be made.
std::optional<std::string> ProbeWithoutUserNamespaces() {
  constexpr char kUnshare[] = "/usr/bin/unshare";
  if (!fs::exists(kUnshare)) return std::nullopt;
  const FileDescriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  process::RunningCommands running;
  process::Program program =
      OwnProgram({kUnshare, "-Ur", "sh", "-c",
                  "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\" 2>&1", "sh"},
                 "ProbeTest.DISABLED_TellsWhatItFinds", {});
  program.folder = root.get();
  const absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      process::ChildProcess::Start(program, process::ChildInput::kNone, running);
  if (!child.ok()) return std::nullopt;
  const SandboxRun run = ReadToEnd(**child);
  if (!absl::StrContains(run.out, "why not: ")) return std::nullopt;
  return run.out.substr(run.out.find("full: "));
}

TEST(UnsupportedTest, SaysWhy) {
  const std::optional<std::string> answer = ProbeWithoutUserNamespaces();
  if (!answer) GTEST_SKIP() << "no user namespace can be made, so none can forbid them";
  EXPECT_THAT(*answer, HasSubstr("full: no"));
  EXPECT_THAT(*answer, HasSubstr("max_user_namespaces"));
}

}  // namespace
}  // namespace cursorwire::test
