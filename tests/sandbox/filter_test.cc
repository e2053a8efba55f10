#include "sandbox/filter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/scratch_folder.h"

namespace cursorwire::sandbox {
namespace {

constexpr FilterOptions kInNamespaces{.in_namespaces = true};
constexpr FilterOptions kUnderLandlock{.in_namespaces = false};
constexpr FilterOptions kWithNetwork{.in_namespaces = false, .network = true};
constexpr FilterOptions kAbi2{.in_namespaces = false, .refuse_truncate = true};

constexpr int kKilled = 1000;  // plus the signal
constexpr int kNotInstalled = 255;

void Install(const std::string& bytes) {
  std::vector<sock_filter> program(bytes.size() / sizeof(sock_filter));
  std::memcpy(program.data(), bytes.data(), bytes.size());
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()),
                          .filter = program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
    ::_exit(kNotInstalled);
  }
}

// errno of a system call under the filter, in a process of its own; 0: it succeeded.
int ErrorOf(const FilterOptions& options, const std::function<long()>& call) {
  const absl::StatusOr<std::string> filter = MakeFilter(options);
  EXPECT_TRUE(filter.ok()) << filter.status();
  if (!filter.ok()) return kNotInstalled;
  const pid_t child = ::fork();
  if (child == 0) {
    Install(*filter);
    ::_exit(call() < 0 ? errno : 0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? kKilled + WTERMSIG(status) : WEXITSTATUS(status);
}

int ErrorOfSocket(const FilterOptions& options, long family) {
  return ErrorOf(options, [family] { return ::syscall(SYS_socket, family, SOCK_DGRAM, 0); });
}

class FilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasFilter()) GTEST_SKIP() << "built without libseccomp";
  }

  test::ScratchFolder folder_;
};

constexpr std::array kAll = {kInNamespaces, kUnderLandlock, kWithNetwork, kAbi2};

TEST_F(FilterTest, IsAProgramThatTheKernelTakes) {
  for (const FilterOptions& options : kAll) {
    const absl::StatusOr<std::string> filter = MakeFilter(options);
    ASSERT_TRUE(filter.ok()) << filter.status();
    EXPECT_EQ(filter->size() % sizeof(sock_filter), 0U);
    EXPECT_EQ(MakeFilter(options).value(), *filter);
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(SYS_getppid); }), 0);
  }
}

TEST_F(FilterTest, TypingIntoTerminalsIsRefused) {
  const std::array<unsigned long, 4> requests = {TIOCSTI, 0x541C, TIOCSTI | (1UL << 32),
                                                 TIOCSTI | (0xffffffffUL << 32)};
  for (const FilterOptions& options : kAll) {
    for (const unsigned long request : requests) {
      EXPECT_EQ(ErrorOf(options, [request] { return ::syscall(SYS_ioctl, -1, request, nullptr); }),
                EPERM);
    }
    // Other requests reach the kernel.
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(SYS_ioctl, -1, TIOCGWINSZ, nullptr); }),
              EBADF);
  }
}

TEST_F(FilterTest, IoUringIsRefused) {
  for (const FilterOptions& options : kAll) {
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(425, 1, nullptr); }), ENOSYS);
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(426, -1, 0, 0, 0, nullptr, 0); }), EPERM);
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(427, -1, 0, nullptr, 0); }), EPERM);
  }
}

TEST_F(FilterTest, NamespacesAreRefused) {
  for (const FilterOptions& options : kAll) {
    for (const unsigned long flag : std::initializer_list<unsigned long>{
             CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
             CLONE_NEWCGROUP}) {
      EXPECT_EQ(ErrorOf(options, [flag] { return ::syscall(SYS_unshare, flag); }), EPERM);
      EXPECT_EQ(
          ErrorOf(options, [flag] { return ::syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0); }),
          EPERM);
      EXPECT_EQ(
          ErrorOf(options,
                  [flag] { return ::syscall(SYS_clone, flag | CLONE_FS | SIGCHLD, 0, 0, 0, 0); }),
          EPERM);
    }
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(SYS_unshare, 0x80); }), EPERM);
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(SYS_unshare, CLONE_FILES); }), 0);
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(SYS_setns, -1, 0); }), EPERM);
  }
}

TEST_F(FilterTest, Clone3NewUserIsRefused) {
  std::array<uint64_t, 8> arguments{CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
  for (const FilterOptions& options : kAll) {
    EXPECT_EQ(ErrorOf(options, [&] { return ::syscall(435, arguments.data(), sizeof arguments); }),
              ENOSYS);
  }
}

TEST_F(FilterTest, DoorsToTheKernelAreRefused) {
  const struct {
    const char* name;
    long number;
  } calls[] = {{"mount", SYS_mount},
               {"umount2", SYS_umount2},
               {"pivot_root", SYS_pivot_root},
               {"chroot", SYS_chroot},
               {"open_tree", 428},
               {"move_mount", 429},
               {"fsopen", 430},
               {"fsconfig", 431},
               {"fsmount", 432},
               {"fspick", 433},
               {"mount_setattr", 442},
               {"open_tree_attr", 467},
               {"add_key", SYS_add_key},
               {"keyctl", SYS_keyctl},
               {"request_key", SYS_request_key},
               {"bpf", SYS_bpf},
               {"perf_event_open", SYS_perf_event_open},
               {"userfaultfd", SYS_userfaultfd},
               {"process_vm_readv", SYS_process_vm_readv},
               {"process_vm_writev", SYS_process_vm_writev},
               {"kexec_load", SYS_kexec_load},
               {"init_module", SYS_init_module},
               {"finit_module", SYS_finit_module},
               {"delete_module", SYS_delete_module},
               {"quotactl", SYS_quotactl},
               {"swapon", SYS_swapon},
               {"reboot", SYS_reboot},
               {"acct", SYS_acct},
               {"name_to_handle_at", SYS_name_to_handle_at},
               {"open_by_handle_at", SYS_open_by_handle_at}};
  for (const FilterOptions& options : kAll) {
    for (const auto& call : calls) {
      SCOPED_TRACE(call.name);
      // These arguments succeed nowhere, nor are they refused with EPERM by the kernel as root.
      EXPECT_EQ(ErrorOf(options, [&] { return ::syscall(call.number, -1, -1, -1, -1, -1, -1); }),
                EPERM);
    }
  }
}

TEST_F(FilterTest, SocketsAreOnlyThoseThatAreBounded) {
  for (const long family : {AF_INET, AF_INET6, AF_NETLINK}) {
    EXPECT_NE(ErrorOfSocket(kInNamespaces, family), EPERM);
    EXPECT_NE(ErrorOfSocket(kWithNetwork, family), EPERM);
    EXPECT_EQ(ErrorOfSocket(kUnderLandlock, family), EPERM);
    EXPECT_EQ(ErrorOfSocket(kUnderLandlock, family | (1L << 32)), EPERM);
  }
  for (const FilterOptions& options : kAll) {
    EXPECT_EQ(ErrorOfSocket(options, AF_UNIX), 0);
    for (const long family :
         {AF_VSOCK, AF_PACKET, AF_ALG, AF_BLUETOOTH, AF_CAN, 44, 45, 46, 47, 1000, -1}) {
      SCOPED_TRACE(family);
      EXPECT_EQ(ErrorOfSocket(options, family), EPERM);
      EXPECT_EQ(ErrorOfSocket(options, family | (1L << 32)), EPERM);
    }
    EXPECT_EQ(ErrorOf(options,
                      [] {
                        int pair[2] = {};
                        return ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
                      }),
              0);
  }
}

TEST_F(FilterTest, DeviceFilesAreRefused) {
  const std::string path = folder_.At("made");
  for (const FilterOptions& options : kAll) {
    EXPECT_EQ(ErrorOf(options, [&] { return ::mknod(path.c_str(), S_IFBLK | 0600, 0x0800); }),
              EPERM);
    EXPECT_EQ(ErrorOf(options, [&] { return ::mknod(path.c_str(), S_IFCHR | 0600, 0x0101); }),
              EPERM);
    EXPECT_EQ(ErrorOf(options, [&] { return ::mkfifo(path.c_str(), 0600); }), 0);
    EXPECT_EQ(::unlink(path.c_str()), 0);
  }
}

TEST_F(FilterTest, DebuggersAndSanitizersWorkInNamespaces) {
  const auto trace = [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); };
  const auto change = [] { return static_cast<long>(::personality(ADDR_NO_RANDOMIZE)); };
  const auto ask = [] { return static_cast<long>(::personality(0xffffffff)); };
  EXPECT_EQ(ErrorOf(kInNamespaces, trace), 0);
  EXPECT_EQ(ErrorOf(kInNamespaces, change), 0);
  EXPECT_EQ(ErrorOf(kUnderLandlock, trace), EPERM);
  EXPECT_EQ(ErrorOf(kUnderLandlock, change), EPERM);
  EXPECT_EQ(ErrorOf(kUnderLandlock, ask), 0);
}

TEST_F(FilterTest, TruncateIsRefusedWhereLandlockDoesNotHoldIt) {
  folder_.Write("file", "kept");
  const std::string path = folder_.At("file");
  const auto open = [&](long flags) {
    return ErrorOf(kAbi2, [&] { return ::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags); });
  };
  EXPECT_EQ(open(O_RDONLY | O_TRUNC), EPERM);
  EXPECT_EQ(open(O_ACCMODE | O_TRUNC), EPERM);
  EXPECT_EQ(open(O_RDONLY | O_TRUNC | O_CLOEXEC | (1L << 32)), EPERM);
  EXPECT_EQ(open(O_RDONLY), 0);
  EXPECT_EQ(ErrorOf(kAbi2, [&] { return ::truncate(path.c_str(), 0); }), EPERM);
  EXPECT_EQ(ErrorOf(kAbi2, [&] { return ::syscall(437, AT_FDCWD, path.c_str(), nullptr, 0); }),
            ENOSYS);
#ifdef SYS_open
  EXPECT_EQ(ErrorOf(kAbi2, [&] { return ::syscall(SYS_open, path.c_str(), O_TRUNC); }), EPERM);
#endif
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, 4);
  EXPECT_EQ(open(O_WRONLY | O_TRUNC), 0);
  EXPECT_EQ(ErrorOf(kUnderLandlock, [&] { return ::truncate(path.c_str(), 0); }), 0);
}

#ifdef __x86_64__

// exit() of the 32-bit table would be 1, getpid() is 20.
TEST_F(FilterTest, ThirtyTwoBitSyscallsAreRefused) {
  for (const FilterOptions& options : kAll) {
    const int error = ErrorOf(options, [] {
      long result = 20;
      asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
      errno = static_cast<int>(-result);
      return result < 0 ? -1L : 0L;
    });
    // Kernels without 32-bit programs kill those that try.
    EXPECT_TRUE(error == EPERM || error == kKilled + SIGSEGV) << error;
  }
}

TEST_F(FilterTest, X32SyscallsAreRefused) {
  constexpr long kX32 = 0x40000000;
  for (const FilterOptions& options : kAll) {
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(kX32 | SYS_getpid); }), EPERM);
    EXPECT_EQ(ErrorOf(options, [] { return ::syscall(kX32 | SYS_mount, 0, 0, 0, 0, 0); }), EPERM);
  }
}

#endif

// Tools that must work. Each is passed by where it is not installed.
TEST_F(FilterTest, BreaksNoTools) {
  const struct {
    const char* tool;
    const char* script;
  } cases[] = {
      {"gcc",
       "printf '#include <stdlib.h>\\nint main(void){free(malloc(1));return 0;}\\n' >a.c && "
       "gcc -g a.c -o a && ./a"},
      {"git",
       "git init -q r && cd r && echo x >f && git add f && git -c user.name=a -c user.email=a@b "
       "commit -qm x && git log --oneline >/dev/null && git gc -q"},
      {"python3",
       "python3 -c 'import subprocess,threading,multiprocessing as m;"
       "t=threading.Thread(target=print);t.start();t.join();"
       "subprocess.run([\"true\"],check=True);p=m.Process(target=print);p.start();p.join();"
       "assert p.exitcode==0'"},
      {"node",
       "node -e 'const w=require(\"worker_threads\"),c=require(\"child_process\");"
       "c.execSync(\"true\");require(\"fs\").promises.readFile(\"/etc/passwd\").then(()=>0)'"},
      {"bash", "bash -c 'set -m; cat </dev/null & wait $!; jobs; kill -0 $$; (exit 0) | cat'"},
      {"bash", "bash -c 'exec 3<>/dev/null; coproc cat; kill $COPROC_PID; wait; true' 2>/dev/null"},
  };
  for (const FilterOptions& options : kAll) {
    for (const auto& c : cases) {
      SCOPED_TRACE(c.script);
      const std::string script = "cd " + folder_.path() +
                                 " && mkdir -p w && cd w && { command -v " + c.tool +
                                 " || exit 0; } >/dev/null; ( " + c.script +
                                 " ) >out 2>&1 || { cat out >&2; exit 1; }; cd .. && rm -rf w";
      EXPECT_EQ(ErrorOf(options,
                        [&] {
                          ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
                          return -1;
                        }),
                0);
      ASSERT_EQ(::system(("rm -rf " + folder_.At("w")).c_str()), 0);
    }
  }
}

// Its search for leaks stops threads by ptrace(), which needs namespaces of its own.
TEST_F(FilterTest, AddressSanitizerWorksInNamespaces) {
  folder_.Write("a.c", "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n");
  const std::string script =
      "cd " + folder_.path() +
      " && command -v gcc >/dev/null && gcc -fsanitize=address a.c -o a 2>/dev/null || exit 77; ";
  const auto run = [&](const FilterOptions& options, const std::string& command) {
    return ErrorOf(options, [&] {
      ::execl("/bin/sh", "sh", "-c", (script + command).c_str(), nullptr);
      return -1;
    });
  };
  const int result = run(kInNamespaces, "./a");
  if (result == 77) GTEST_SKIP() << "no compiler with AddressSanitizer";
  EXPECT_EQ(result, 0);
  EXPECT_EQ(run(kUnderLandlock, "ASAN_OPTIONS=detect_leaks=0 ./a"), 0);
}

}  // namespace
}  // namespace cursorwire::sandbox
