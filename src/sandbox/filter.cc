#include "sandbox/filter.h"

#ifdef CURSORWIRE_HAS_SECCOMP

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/strings.h"

#endif

namespace cursorwire::sandbox {

#ifndef CURSORWIRE_HAS_SECCOMP

bool HasFilter() { return false; }

absl::StatusOr<std::string> MakeFilter(const FilterOptions& /*options*/) { return std::string(); }

#else

namespace {

constexpr uint64_t kAllBits32 = 0xffffffff;
constexpr uint64_t kNewTime = 0x80;           // CLONE_NEWTIME, which older headers do not have
constexpr unsigned kFirstUnknownFamily = 46;  // AF_MAX of Linux 6

// Never needed by a command, but a door to the kernel, to other processes, or to other devices.
constexpr const char* kRefused[] = {
    // Mounts
    "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
    "move_mount", "open_tree", "open_tree_attr", "mount_setattr", "setns", "quotactl",
    "quotactl_fd", "swapon", "swapoff",
    // Keys of the kernel, which belong to the user and not to the sandbox
    "add_key", "keyctl", "request_key",
    // Parts of the kernel with a history
    "bpf", "perf_event_open", "userfaultfd", "io_uring_enter", "io_uring_register", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "create_module", "delete_module", "acct",
    "lookup_dcookie", "iopl", "ioperm",
    // Memory and files of others
    "process_vm_readv", "process_vm_writev", "name_to_handle_at", "open_by_handle_at",
    // The machine
    "reboot", "settimeofday", "clock_settime", "stime", "sethostname", "setdomainname", "vhangup",
    "syslog", "nfsservctl"};
// Without namespaces as well: processes outside are within reach.
constexpr const char* kRefusedWithoutNamespaces[] = {"ptrace", "pidfd_getfd", "kcmp"};

// Rules of one filter. The first error stays.
class Rules {
 public:
  Rules() : context_(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release) {
    if (context_ == nullptr) {
      Note(-ENOMEM, "seccomp_init");
      return;
    }
    // 32-bit programs and x32 have system calls of their own, which the rules do not cover.
    Note(::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)),
         "architecture");
  }

  // Calls that this libseccomp has no number for are not there for programs either, with the
  // exception of those that are newer than it: see Number().
  void Refuse(const char* name, int error = EPERM,
              std::initializer_list<scmp_arg_cmp> arguments = {}) {
    const int number = Number(name);
    if (number == __NR_SCMP_ERROR || context_ == nullptr || !status_.ok()) return;
    const std::vector<scmp_arg_cmp> list(arguments);
    const int result =
        ::seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)),
                                 number, static_cast<unsigned>(list.size()), list.data());
    // -EDOM: this architecture does not have the call.
    if (result != -EDOM) Note(result, name);
  }

  absl::StatusOr<std::string> Export() const {
    if (!status_.ok()) return status_;
    const FileDescriptor file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file.valid()) return Failure(-errno, "memfd_create");
    if (const int result = ::seccomp_export_bpf(context_.get(), file.get()); result != 0) {
      return Failure(result, "seccomp_export_bpf");
    }
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) return Failure(-errno, "fstat");
    std::string bytes(static_cast<size_t>(facts.st_size), '\0');
    const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), 0);
    if (count != facts.st_size) return Failure(-EIO, "pread");
    return bytes;
  }

 private:
  // Newer calls have the same number everywhere.
  static int Number(std::string_view name) {
    struct Newer {
      std::string_view name;
      int number;
    };
    constexpr Newer kNewer[] = {
        {"io_uring_setup", 425}, {"io_uring_enter", 426}, {"io_uring_register", 427},
        {"open_tree", 428},      {"move_mount", 429},     {"fsopen", 430},
        {"fsconfig", 431},       {"fsmount", 432},        {"fspick", 433},
        {"clone3", 435},         {"openat2", 437},        {"pidfd_getfd", 438},
        {"mount_setattr", 442},  {"quotactl_fd", 443},    {"open_tree_attr", 467}};
    const int number = ::seccomp_syscall_resolve_name(std::string(name).c_str());
    if (number != __NR_SCMP_ERROR) return number;
    const auto* const newer = std::find_if(std::begin(kNewer), std::end(kNewer),
                                           [name](const Newer& n) { return n.name == name; });
    return newer == std::end(kNewer) ? __NR_SCMP_ERROR : newer->number;
  }

  static absl::Status Failure(int result, std::string_view where) {
    return LocalError(absl::StatusCode::kUnavailable,
                      absl::StrCat("the filter of system calls cannot be made (", ToAbsl(where),
                                   "): ", std::system_category().message(-result)));
  }
  void Note(int result, std::string_view where) {
    if (result != 0 && status_.ok()) status_ = Failure(result, where);
  }

  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, void (*)(scmp_filter_ctx)> context_;
  absl::Status status_;
};

// Argument `index` has all bits of `bits` that are in `value`, and no other of them.
scmp_arg_cmp Masked(unsigned index, uint64_t bits, uint64_t value) {
  return {.arg = index, .op = SCMP_CMP_MASKED_EQ, .datum_a = bits, .datum_b = value};
}
scmp_arg_cmp Compared(unsigned index, scmp_compare comparison, uint64_t value) {
  return {.arg = index, .op = comparison, .datum_a = value, .datum_b = 0};
}

// A further user namespace has all capabilities in it, and with them much of the kernel in reach.
void RefuseNamespaces(Rules& rules) {
#ifdef __s390x__
  constexpr unsigned kFlags = 1;
#else
  constexpr unsigned kFlags = 0;
#endif
  for (const uint64_t flag :
       std::initializer_list<uint64_t>{CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                       CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
    rules.Refuse("clone", EPERM, {Masked(kFlags, flag, flag)});
    rules.Refuse("unshare", EPERM, {Masked(0, flag, flag)});
  }
  rules.Refuse("unshare", EPERM, {Masked(0, kNewTime, kNewTime)});
  // Its flags are in memory, where a filter does not see them. libc takes clone() instead.
  rules.Refuse("clone3", ENOSYS);
}

// The kernel looks at the lower half of the request alone.
void RefuseTypingIntoTerminals(Rules& rules) {
  constexpr uint64_t kTioclinux = 0x541C;
  rules.Refuse("ioctl", EPERM, {Masked(1, kAllBits32, TIOCSTI)});
  rules.Refuse("ioctl", EPERM, {Masked(1, kAllBits32, kTioclinux)});
}

// A family with bits in the upper half, which the kernel passes by, counts as unknown.
void RefuseSockets(Rules& rules, bool with_network) {
  for (unsigned family = 0; family < kFirstUnknownFamily; ++family) {
    const bool of_network = family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
    if (family == AF_UNIX || (of_network && with_network)) continue;
    rules.Refuse("socket", EPERM, {Compared(0, SCMP_CMP_EQ, family)});
  }
  rules.Refuse("socket", EPERM, {Compared(0, SCMP_CMP_GE, kFirstUnknownFamily)});
}

void RefuseDeviceFiles(Rules& rules) {
  for (const uint64_t type : std::initializer_list<uint64_t>{S_IFCHR, S_IFBLK}) {
    rules.Refuse("mknod", EPERM, {Masked(1, S_IFMT, type)});
    rules.Refuse("mknodat", EPERM, {Masked(2, S_IFMT, type)});
  }
}

// Opening for reading with O_TRUNC empties a file that may only be read; so does the access mode 3,
// which stands for neither reading nor writing. O_WRONLY and O_RDWR need the right to write.
void RefuseTruncate(Rules& rules) {
  constexpr uint64_t kBits = O_ACCMODE | O_TRUNC;
  for (const uint64_t mode : {uint64_t{O_RDONLY}, uint64_t{O_ACCMODE}}) {
    rules.Refuse("open", EPERM, {Masked(1, kBits, mode | O_TRUNC)});
    rules.Refuse("openat", EPERM, {Masked(2, kBits, mode | O_TRUNC)});
  }
  rules.Refuse("openat2", ENOSYS);  // its flags are in memory
  rules.Refuse("truncate");
  rules.Refuse("truncate64");
}

}  // namespace

bool HasFilter() { return true; }

absl::StatusOr<std::string> MakeFilter(const FilterOptions& options) {
  static std::mutex alone;  // libseccomp remembers what it found out about the kernel
  const std::lock_guard lock(alone);
  Rules rules;
  for (const char* name : kRefused) rules.Refuse(name);
  // Programs take this answer for an older kernel, and do without.
  rules.Refuse("io_uring_setup", ENOSYS);
  RefuseNamespaces(rules);
  RefuseTypingIntoTerminals(rules);
  RefuseSockets(rules, options.in_namespaces || options.network);
  RefuseDeviceFiles(rules);
  if (!options.in_namespaces) {
    for (const char* name : kRefusedWithoutNamespaces) rules.Refuse(name);
    // Asking for the personality is harmless.
    rules.Refuse("personality", EPERM, {Compared(0, SCMP_CMP_NE, kAllBits32)});
    if (options.refuse_truncate) RefuseTruncate(rules);
  }
  return rules.Export();
}

#endif  // CURSORWIRE_HAS_SECCOMP

}  // namespace cursorwire::sandbox
