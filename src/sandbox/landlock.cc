#include "sandbox/landlock.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/strings.h"

namespace cursorwire::sandbox {
namespace {

// Source: Linux, include/uapi/linux/landlock.h. Installed headers may be older than the kernel.
constexpr long kCreateRuleset = 444;  // the same on all architectures
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kVersion = 1;
constexpr int kPathBeneath = 1;

constexpr uint64_t kExecute = 1U << 0;
constexpr uint64_t kWriteFile = 1U << 1;
constexpr uint64_t kReadFile = 1U << 2;
constexpr uint64_t kReadDir = 1U << 3;
constexpr uint64_t kMakeChar = 1U << 6;
constexpr uint64_t kMakeBlock = 1U << 11;
constexpr uint64_t kAllOfAbi1 = (1U << 13) - 1;
constexpr uint64_t kRefer = 1U << 13;        // ABI 2: moving between folders
constexpr uint64_t kTruncate = 1U << 14;     // ABI 3
constexpr uint64_t kIoctlDevice = 1U << 15;  // ABI 5

constexpr uint64_t kRead = kExecute | kReadFile | kReadDir;
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;
constexpr uint64_t kOfDevices = kWriteFile | kReadFile | kTruncate | kIoctlDevice;

constexpr const char* kDevices[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                    "/dev/urandom", "/dev/tty",  "/dev/ptmx", "/dev/pts"};

struct RulesetAttributes {
  uint64_t handled_files = 0;
  uint64_t handled_network = 0;  // ABI 4: bind and connect of TCP
  uint64_t scoped = 0;           // ABI 6: abstract sockets, signals
};

struct [[gnu::packed]] PathBeneath {
  uint64_t allowed = 0;
  int32_t folder = -1;
};

absl::Status Refused(std::string_view what, int error) {
  return LocalError(absl::StatusCode::kUnavailable,
                    absl::StrCat("the sandbox could not be set up: ", ToAbsl(what), ": ",
                                 std::system_category().message(error)));
}

uint64_t FileRights(int abi) {
  uint64_t rights = kAllOfAbi1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDevice;
  return rights;
}

RulesetAttributes Attributes(int abi, bool network) {
  constexpr uint64_t kBindAndConnect = 3;
  constexpr uint64_t kSocketsAndSignals = 3;
  return {.handled_files = FileRights(abi),
          .handled_network = abi >= 4 && !network ? kBindAndConnect : 0,
          .scoped = abi >= 6 ? kSocketsAndSignals : 0};
}

// Grants `rights`, as far as the kernel knows them and they go with the kind of file.
absl::Status Grant(const FileDescriptor& ruleset, const std::string& path, uint64_t rights) {
  const FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return absl::OkStatus();
    return Refused(absl::StrCat("opening ", Printable(path, std::numeric_limits<size_t>::max())),
                   errno);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return Refused("looking at a path", errno);
  if (!S_ISDIR(facts.st_mode)) rights &= kOfFiles;
  const PathBeneath rule{.allowed = rights, .folder = file.get()};
  if (::syscall(kAddRule, ruleset.get(), kPathBeneath, &rule, 0) != 0) {
    return Refused("granting a path", errno);
  }
  return absl::OkStatus();
}

absl::Status GrantAll(const FileDescriptor& ruleset, const std::vector<LandlockGrant>& grants,
                      int abi) {
  const uint64_t known = FileRights(abi);
  for (const LandlockGrant& grant : grants) {
    // Devices are made by root alone, and are a way around everything else.
    const uint64_t rights = grant.write ? known & ~(kMakeChar | kMakeBlock) : kRead;
    if (absl::Status status = Grant(ruleset, grant.path, rights & known); !status.ok()) {
      return status;
    }
  }
  for (const char* device : kDevices) {
    if (absl::Status status = Grant(ruleset, device, kOfDevices & known); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

// Root would have them again after exec(2) if they were not taken out of the bounding set.
absl::Status DropCapabilities() {
  for (unsigned long number = 0; ::prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number) {
    // Who may not do this is not root, and gets none by exec(2) with no_new_privs.
    if (::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0 && errno != EPERM) {
      return Refused("dropping a capability", errno);
    }
  }
  // EINVAL: before Linux 4.3, which has no such capabilities.
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL) {
    return Refused("dropping ambient capabilities", errno);
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) {
    return Refused("dropping capabilities", errno);
  }
  return absl::OkStatus();
}

absl::Status InstallFilter(const std::string& bytes) {
  std::vector<sock_filter> program(bytes.size() / sizeof(sock_filter));
  if (program.empty() || program.size() > BPF_MAXINSNS) {
    return Refused("there is no filter of system calls", EINVAL);
  }
  std::memcpy(program.data(), bytes.data(), program.size() * sizeof(sock_filter));
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()),
                          .filter = program.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
    return Refused("the filter of system calls", errno);
  }
  return absl::OkStatus();
}

}  // namespace

int LandlockAbi() {
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

absl::Status RestrictThread(const LandlockOptions& options) {
  const int abi = options.abi;
  if (abi < 1) return Refused("Landlock", ENOSYS);
  const RulesetAttributes attributes = Attributes(abi, options.network);
  const FileDescriptor ruleset(
      static_cast<int>(::syscall(kCreateRuleset, &attributes, sizeof attributes, 0)));
  if (!ruleset.valid()) return Refused("Landlock", errno);
  if (absl::Status status = GrantAll(ruleset, options.grants, abi); !status.ok()) return status;
  if (absl::Status status = DropCapabilities(); !status.ok()) return status;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Refused("no_new_privs", errno);
  if (::syscall(kRestrictSelf, ruleset.get(), 0) != 0) return Refused("Landlock", errno);
  return InstallFilter(options.filter);
}

}  // namespace cursorwire::sandbox
