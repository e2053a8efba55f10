#include "workspace/fs/open_file.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "base/error.h"

namespace cursorwire::workspace {
// File systems allow any number of seconds: times after the year 2262 are clamped.
int64_t NanosecondsOf(const timespec& time) {
  constexpr int64_t kPerSecond = 1'000'000'000;
  constexpr int64_t kMaxSeconds = std::numeric_limits<int64_t>::max() / kPerSecond - 1;
  const int64_t seconds = std::clamp<int64_t>(time.tv_sec, -kMaxSeconds, kMaxSeconds);
  return seconds * kPerSecond + time.tv_nsec;
}

const char* Describe(FileKind kind) {
  switch (kind) {
    case FileKind::kRegular:
      return "a file";
    case FileKind::kFolder:
      return "a folder";
    case FileKind::kLink:
      return "a symbolic link";
    case FileKind::kPipe:
      return "a pipe";
    case FileKind::kSocket:
      return "a socket";
    case FileKind::kDevice:
      return "a device";
  }
  return "unknown";
}

FileKind KindOfMode(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kFolder;
  if (S_ISLNK(mode)) return FileKind::kLink;
  if (S_ISFIFO(mode)) return FileKind::kPipe;
  if (S_ISSOCK(mode)) return FileKind::kSocket;
  return FileKind::kDevice;
}

absl::StatusOr<FileFacts> OpenFile::Facts() const {
  struct stat facts {};
  if (::fstat(fd_.get(), &facts) != 0) return FileError(errno);
  return FileFacts{.kind = KindOfMode(facts.st_mode),
                   .bytes = facts.st_size,
                   .modified_ns = NanosecondsOf(facts.st_mtim)};
}

absl::StatusOr<size_t> OpenFile::Read(char* buffer, size_t size) const {
  for (;;) {
    const ssize_t count = ::read(fd_.get(), buffer, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return FileError(errno);
  }
}

absl::Status OpenFile::Rewind() const {
  return ::lseek(fd_.get(), 0, SEEK_SET) < 0 ? FileError(errno) : absl::OkStatus();
}

absl::Status FileError(int error) {
  using enum absl::StatusCode;
  switch (error) {
    case ENOENT:
      return LocalError(kNotFound, "there is no such file or folder");
    case ENOTDIR:
      return LocalError(kNotFound, "there is no such file: a part of its path is no folder");
    case EXDEV:
      return LocalError(kPermissionDenied, "the path leads out of the folder that is shared");
    case ELOOP:
      return LocalError(kPermissionDenied,
                        "a symbolic link on the path loops, or is one that is not followed");
    case EACCES:
    case EPERM:
      return LocalError(kPermissionDenied, "the system does not allow the user to open this");
    case ENAMETOOLONG:
      return LocalError(kInvalidArgument, "the path is too long");
    default:
      return LocalError(kUnknown,
                        absl::StrCat("the system says: ", std::system_category().message(error)));
  }
}

absl::Status PlaceError(int error) {
  if (error != EXDEV) return FileError(error);
  return LocalError(absl::StatusCode::kPermissionDenied,
                    "a symbolic link on the path leads out of the folder that is shared, or has an "
                    "absolute target, which is not followed: name the file that it means");
}

absl::Status ChangeError(int error) {
  using enum absl::StatusCode;
  switch (error) {
    case ENOSPC:
      return LocalError(kResourceExhausted, "no space is left on the device");
    case EDQUOT:
      return LocalError(kResourceExhausted, "the user's quota of the file system is used up");
    case EACCES:
    case EPERM:
      return LocalError(kPermissionDenied, "the system does not allow the user to change this");
    case EROFS:
      return LocalError(kPermissionDenied, "the file system can only be read");
    default:
      return FileError(error);
  }
}

absl::Status WrongKind(FileKind kind, FileKind wanted) {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("this is ", Describe(kind), ", not ", Describe(wanted)));
}

}  // namespace cursorwire::workspace
