#include "files/locked_file.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "files/pause.h"

namespace cursorwire {
namespace {

constexpr mode_t kPrivate = 0600;
constexpr mode_t kOthers = 0077;
// Between two looks at a file that another process holds.
constexpr std::chrono::milliseconds kLockLook{20};
// A writer may put another file in the place of the one that was opened; it does so once a turn.
constexpr int kMaxOpens = 100;
// File systems take 255 in all.
constexpr size_t kMaxBesideBytes = 200;

// Where the path leads: a link must not be replaced by a file.
std::string Resolve(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (!error) return real.string();
  if (error != std::errc::no_such_file_or_directory) return path;
  // Nothing is there yet, or not where a link leads.
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  return error ? path : (std::filesystem::path(path).parent_path() / target).string();
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A hidden name that no user gives to a file.
std::string NameBeside(const std::string& path) {
  const size_t slash = path.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::string beside = path.substr(name);
  if (beside.size() > kMaxBesideBytes) {  // else it would be too long for the file system
    beside = absl::BytesToHexString(Sha256(beside));
  }
  return absl::StrCat(path.substr(0, name), ".", beside, kBesideSuffix);
}

absl::Status Refuse(const std::string& path, std::string_view why) {
  return LocalError(absl::StatusCode::kFailedPrecondition, absl::StrCat(path, ": ", ToAbsl(why)));
}

absl::Status CheckPrivate(const std::string& path, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return Refuse(path, "this is not a plain file");
  if ((info.st_mode & kOthers) != 0) {
    return Refuse(path, absl::StrFormat("others may read or change this private file (mode %04o): "
                                        "chmod 600 it",
                                        info.st_mode & 07777));
  }
  const uid_t user = ::geteuid();
  if (info.st_uid != user && user != 0) return Refuse(path, "this file belongs to another user");
  return absl::OkStatus();
}

absl::Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status BringToDisk(int fd, const std::string& path) {
  return ::fsync(fd) == 0 ? absl::OkStatus() : FileError("bring to the disk", path, errno);
}

// Where root replaces a file of a user, it stays that user's.
absl::Status KeepOwner(int former, int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(former, &info) != 0) return FileError("open", path, errno);
  if (info.st_uid == ::geteuid() || ::fchown(fd, info.st_uid, info.st_gid) == 0) {
    return absl::OkStatus();
  }
  return FileError("give away", path, errno);
}

// Whether the path still names the file that is open.
bool IsAt(const std::string& path, const struct stat& open_file) {
  struct stat named {};
  return ::stat(path.c_str(), &named) == 0 && named.st_ino == open_file.st_ino &&
         named.st_dev == open_file.st_dev;
}

enum class Lock { kTaken, kBusy, kMoved };

struct Opened {
  Lock lock = Lock::kMoved;  // another file has taken its place meanwhile
  FileDescriptor file{};
};

absl::StatusOr<Opened> TryOpen(const std::string& path, LockedFile::Missing missing) {
  // O_NONBLOCK: a pipe in the place of the file must not block.
  const int make = missing == LockedFile::Missing::kMake ? O_CREAT : 0;
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | make, kPrivate));
  if (!file.valid()) return FileError("open", path, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return FileError("open", path, errno);
  if (absl::Status status = CheckPrivate(path, info); !status.ok()) return status;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return FileError("lock", path, errno);
    return Opened{.lock = Lock::kBusy};
  }
  if (!IsAt(path, info)) return Opened{};
  return Opened{.lock = Lock::kTaken, .file = std::move(file)};
}

absl::StatusOr<std::string> ReadAll(int fd, const std::string& path, size_t max_bytes) {
  std::string bytes;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::pread(fd, buffer, sizeof(buffer), static_cast<off_t>(bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("read", path, errno);
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(count));
    if (bytes.size() > max_bytes) {
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat(path, ": larger than ", max_bytes, " bytes"));
    }
  }
}

}  // namespace

absl::Status FileError(std::string_view what, const std::string& path, int error) {
  absl::StatusCode code = absl::StatusCode::kFailedPrecondition;
  if (error == ENOENT || error == ENOTDIR) code = absl::StatusCode::kNotFound;
  // Not kResourceExhausted, which a program takes for a limit of the account.
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return LocalError(
      code, absl::StrCat(ToAbsl(what), " ", path, ": ", std::generic_category().message(error),
                         is_full ? ": make room on that disk" : ""));
}

absl::StatusOr<LockedFile> LockedFile::Open(const std::string& path, Missing missing) {
  const std::string real = Resolve(path);
  for (int i = 0; i < kMaxOpens; ++i) {
    absl::StatusOr<Opened> opened = TryOpen(real, missing);
    if (!opened.ok()) return opened.status();
    if (opened->lock == Lock::kTaken) return LockedFile(real, std::move(opened->file));
    if (opened->lock == Lock::kBusy) {
      return Refuse(real, "another process uses this file: wait until it has ended");
    }
  }
  return Refuse(real, "other processes replace this file all the time");
}

absl::StatusOr<LockedFile> LockedFile::OpenInTurn(const std::string& path, Missing missing,
                                                  std::chrono::milliseconds patience,
                                                  const std::stop_token& stop) {
  const std::string real = Resolve(path);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    absl::StatusOr<Opened> opened = TryOpen(real, missing);
    if (!opened.ok()) return opened.status();
    if (opened->lock == Lock::kTaken) return LockedFile(real, std::move(opened->file));
    if (std::chrono::steady_clock::now() >= end) {
      return LocalError(absl::StatusCode::kUnavailable,
                        real + ": another process holds this file and does not let go of it");
    }
    if (!PauseFor(kLockLook, stop)) return CancelledByCaller();
  }
}

absl::StatusOr<size_t> LockedFile::Size() const {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return FileError("open", path_, errno);
  return static_cast<size_t>(info.st_size);
}

absl::StatusOr<std::string> LockedFile::Read(size_t max_bytes) const {
  return ReadAll(file_.get(), path_, max_bytes);
}

absl::StatusOr<std::optional<std::string>> ReadPrivateFile(const std::string& path,
                                                           size_t max_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return FileError("open", path, errno);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return FileError("open", path, errno);
  if (absl::Status status = CheckPrivate(path, info); !status.ok()) return status;
  absl::StatusOr<std::string> bytes = ReadAll(file.get(), path, max_bytes);
  if (!bytes.ok()) return bytes.status();
  return *std::move(bytes);
}

absl::Status LockedFile::Replace(std::string_view bytes) {
  if (absl::Status status = CheckPlace(); !status.ok()) return status;
  const FileDescriptor folder(::open(FolderOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return FileError("open", FolderOf(path_), errno);
  // One name is enough: only the holder of the lock writes it.
  const std::string beside = NameBeside(path_);
  ::unlink(beside.c_str());
  FileDescriptor file(
      ::open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kPrivate));
  if (!file.valid()) return FileError("make", beside, errno);
  absl::Status status = KeepOwner(file_.get(), file.get(), beside);
  if (status.ok()) status = WriteAll(file.get(), bytes, beside);
  if (status.ok()) status = BringToDisk(file.get(), beside);
  // Before it has its name: nobody may take it for free.
  if (status.ok() && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    status = FileError("lock", beside, errno);
  }
  if (status.ok() && ::rename(beside.c_str(), path_.c_str()) != 0) {
    status = FileError("replace", path_, errno);
  }
  if (!status.ok()) {
    ::unlink(beside.c_str());
    return status;
  }
  file_ = std::move(file);
  replaced_ = true;
  return BringToDisk(folder.get(), FolderOf(path_));
}

absl::Status LockedFile::Append(size_t size, std::string_view bytes) {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return FileError("open", path_, errno);
  if (info.st_nlink == 0) return Refuse(path_, "this file was removed while it was open");
  if (absl::Status status = CheckPlace(); !status.ok()) return status;
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(file_.get(), end) != 0) return FileError("write", path_, errno);
  if (::lseek(file_.get(), end, SEEK_SET) != end) return FileError("write", path_, errno);
  return WriteAll(file_.get(), bytes, path_);
}

absl::Status LockedFile::CheckPlace() const {
  struct stat own {};
  struct stat named {};
  if (::fstat(file_.get(), &own) != 0) return FileError("open", path_, errno);
  const bool is_other = ::stat(path_.c_str(), &named) == 0 &&
                        (named.st_ino != own.st_ino || named.st_dev != own.st_dev);
  return is_other ? Refuse(path_, "another file has taken the place of this one")
                  : absl::OkStatus();
}

void LockedFile::Remove() {
  if (!CheckPlace().ok()) return;
  ::unlink(NameBeside(path_).c_str());  // of a process that was killed
  ::unlink(path_.c_str());
}

}  // namespace cursorwire
