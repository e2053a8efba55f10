#include "sandbox/mount_check.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/strings.h"
#include "sandbox/inode.h"
#include "sandbox/mount_table.h"
#include "sandbox/path_order.h"

namespace cursorwire::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kMountPatience{5};
// How long to wait for the next look if the system tells of no change.
constexpr std::chrono::milliseconds kMountLook{1};
// While a process changes its rights, it may not be looked at for a moment.
constexpr std::chrono::milliseconds kDenialPatience{500};
constexpr char kTmpInside[] = "/tmp";

absl::Status Changed() {
  return LocalError(absl::StatusCode::kAborted,
                    "the workspace changed while the sandbox was set up; run the command again");
}

absl::Status CannotLook(int error) {
  return LocalError(
      absl::StatusCode::kUnavailable,
      absl::StrCat("the command was not run: the mounts of its sandbox cannot be looked at in "
                   "/proc: ",
                   std::system_category().message(error)));
}

absl::Status TookTooLong() {
  return LocalError(absl::StatusCode::kDeadlineExceeded,
                    absl::StrCat("the command was not run: its sandbox was not set up within ",
                                 kMountPatience.count(), " seconds"));
}

bool HasGone(int error) { return error == ENOENT || error == ESRCH; }

// All of a file of /proc; nullopt: see errno.
std::optional<std::string> ReadProcFile(int folder, const char* name, size_t max_bytes) {
  const FileDescriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string text;
  std::array<char, size_t{16} * 1024> block{};
  while (text.size() <= max_bytes) {
    const ssize_t count = ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    text.append(block.data(), static_cast<size_t>(count));
  }
  return text;
}

// The mount that an open file lies in. Source: man 5 proc, /proc/PID/fdinfo.
std::optional<uint32_t> MountIdOf(int file) {
  constexpr std::string_view kName = "mnt_id:";
  constexpr size_t kMaxBytes = 4096;
  const auto text =
      ReadProcFile(AT_FDCWD, absl::StrCat("/proc/self/fdinfo/", file).c_str(), kMaxBytes);
  if (!text) return std::nullopt;
  const size_t at = text->find(kName);
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(at + kName.size());
  uint32_t id = 0;
  if (!absl::SimpleAtoi(ToAbsl(rest.substr(0, rest.find('\n'))), &id)) return std::nullopt;
  return id;
}

// Looks at the mounts of a process, which do not change any more.
class MountLook {
 public:
  MountLook(FileDescriptor inside, FileDescriptor outside, MountTable table)
      : inside_(std::move(inside)), outside_(std::move(outside)), table_(std::move(table)) {}

  bool IsAsExpected(const ExpectedMount& mount) const {
    if (mount.inode == Inode{}) return false;
    const FileDescriptor outside = OpenUnlinked(outside_.get(), mount.path);
    struct stat info {};
    if (!outside.valid() || ::fstat(outside.get(), &info) != 0) return false;
    if (InodeOf(info) != mount.inode) return false;
    const FileDescriptor inside = OpenUnlinked(inside_.get(), mount.path);
    if (!inside.valid() || ::fstat(inside.get(), &info) != 0) return false;
    const TableMount* entry = EntryOf(inside.get());
    return entry != nullptr && entry->mount_point == mount.path &&
           IsOfItsKind(mount, info, *entry) && (!mount.folder_is_mount || IsInItsFolder(*entry));
  }

 private:
  static bool IsOfItsKind(const ExpectedMount& mount, const struct stat& info,
                          const TableMount& entry) {
    switch (mount.kind) {
      case ExpectedMount::Kind::kBind:
        return InodeOf(info) == mount.inode;
      case ExpectedMount::Kind::kEmptyFile:
        return S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
      case ExpectedMount::Kind::kEmptyFolder:
        return S_ISDIR(info.st_mode) && entry.type == "tmpfs";
    }
    return false;
  }

  const TableMount* Entry(uint32_t id) const {
    const auto found = table_.find(id);
    return found == table_.end() ? nullptr : &found->second;
  }
  const TableMount* EntryOf(int file) const {
    const std::optional<uint32_t> id = MountIdOf(file);
    return id ? Entry(*id) : nullptr;
  }

  // It may lie on other mounts of the same path.
  bool IsInItsFolder(const TableMount& entry) const {
    const TableMount* parent = Entry(entry.parent);
    for (size_t i = 0; i < table_.size() && parent != nullptr; ++i) {
      if (parent->mount_point != entry.mount_point) break;
      parent = Entry(parent->parent);
    }
    return parent != nullptr && parent->mount_point == FolderOfPath(entry.mount_point);
  }

  const FileDescriptor inside_;   // the root of the process
  const FileDescriptor outside_;  // ours
  const MountTable table_;
};

absl::Status CheckMounts(int process, const ExpectedMounts& expected) {
  FileDescriptor inside(::openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!inside.valid()) return CannotLook(errno);
  FileDescriptor outside(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!outside.valid()) return CannotLook(errno);
  const auto text = ReadProcFile(process, "mountinfo", kMaxMountTableBytes);
  if (!text) return CannotLook(errno);
  absl::StatusOr<MountTable> table = ParseMountTable(*text);
  if (!table.ok()) return table.status();
  const std::string_view private_name =
      std::string_view(expected.private_folder).substr(expected.private_folder.rfind('/'));
  const bool has_tmp = std::any_of(table->begin(), table->end(), [&](const auto& mount) {
    return mount.second.mount_point == kTmpInside && mount.second.root.ends_with(private_name);
  });
  if (!has_tmp) return Changed();
  const MountLook look(std::move(inside), std::move(outside), *std::move(table));
  const bool is_good =
      std::all_of(expected.within.begin(), expected.within.end(),
                  [&look](const ExpectedMount& mount) { return look.IsAsExpected(mount); });
  return is_good ? absl::OkStatus() : Changed();
}

// Waits for what a call of bubblewrap does.
class MountWait {
 public:
  MountWait(StatusPipe& status, Inode tmp)
      : status_(status), tmp_(std::move(tmp)), deadline_(Clock::now() + kMountPatience) {}

  // Until bubblewrap has told the process that makes the mounts. 0: it has ended.
  absl::StatusOr<pid_t> ForProcess() {
    while (status_.Read()) {
      if (const pid_t pid = status_.status().child_pid; pid > 0) return pid;
      if (!Sleep(false, -1)) return TookTooLong();
    }
    return status_.status().child_pid;
  }

  // Until the private folder is /tmp for that process, which it becomes by the last change of all.
  absl::StatusOr<MountsState> ForMounts(int process) {
    // Made for its poll(2) alone: it stays with the mounts that the process has now.
    const FileDescriptor changes(::openat(process, "mountinfo", O_RDONLY | O_CLOEXEC));
    Clock::time_point seen_at = Clock::now();
    while (true) {
      struct stat info {};
      const bool is_there = ::fstatat(process, "root/tmp", &info, AT_SYMLINK_NOFOLLOW) == 0;
      if (is_there && InodeOf(info) == tmp_) return MountsState::kAsExpected;
      const int error = is_there || HasGone(errno) ? 0 : errno;
      if (error == 0) seen_at = Clock::now();
      if (Clock::now() - seen_at > kDenialPatience) return CannotLook(error);
      if (!status_.Read()) return MountsState::kEnded;
      if (!Sleep(true, changes.get())) return TookTooLong();
    }
  }

  // For one of which nothing is known any more.
  absl::StatusOr<MountsState> ForEnd() {
    while (status_.Read()) {
      if (!Sleep(false, -1)) return TookTooLong();
    }
    return MountsState::kEnded;
  }

 private:
  // Until `status` or `changes` has something to tell; if `is_looking`, for a moment at most.
  // False: the time is over.
  bool Sleep(bool is_looking, int changes) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> seen = {{{.fd = status_.read_end(), .events = POLLIN, .revents = 0},
                                   {.fd = changes, .events = POLLPRI, .revents = 0}}};
    const auto most = is_looking ? std::min(left, kMountLook) : left;
    ::poll(seen.data(), seen.size(), static_cast<int>(most.count()));
    return true;
  }

  StatusPipe& status_;
  const Inode tmp_;
  const Clock::time_point deadline_;
};

}  // namespace

absl::StatusOr<MountsState> AwaitMounts(StatusPipe& status, const ExpectedMounts& expected) {
  if (expected.private_inode == Inode{}) return Changed();
  MountWait wait(status, expected.private_inode);
  const absl::StatusOr<pid_t> pid = wait.ForProcess();
  if (!pid.ok()) return pid.status();
  if (*pid == 0) return MountsState::kEnded;
  const FileDescriptor process(
      ::open(absl::StrCat("/proc/", *pid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!process.valid()) {
    if (!HasGone(errno)) return CannotLook(errno);
    return wait.ForEnd();
  }
  absl::StatusOr<MountsState> state = wait.ForMounts(process.get());
  if (!state.ok() || *state == MountsState::kEnded) return state;
  if (absl::Status checked = CheckMounts(process.get(), expected); !checked.ok()) {
    // It may have been killed meanwhile.
    return status.Read() ? absl::StatusOr<MountsState>(checked) : MountsState::kEnded;
  }
  return MountsState::kAsExpected;
}

}  // namespace cursorwire::sandbox
