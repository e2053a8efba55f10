#include "workspace/fs/new_file.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "workspace/fs/permission.h"

namespace cursorwire::workspace {
namespace {

constexpr int kMaxNames = 1000;  // limit of our temporary files in one folder at a time
constexpr size_t kWriteBytes = size_t{1024} * 1024;
constexpr mode_t kFileModeBeforeUmask = 0666;
constexpr mode_t kOfUserAlone = 0600;

absl::Status ChangedMeanwhile() {
  return LocalError(absl::StatusCode::kAborted,
                    "the file was changed by somebody else meanwhile; read it again");
}

// A free name that `take` could take. `take` reports its failure in errno.
template <typename Take>
absl::StatusOr<std::string> TakeName(const Take& take) {
  for (int number = 0; number < kMaxNames; ++number) {
    std::string name = absl::StrCat(".cursorwire-", ::getpid(), "-", number);
    if (take(name)) return name;
    if (errno != EEXIST) return ChangeError(errno);
  }
  return ChangeError(EEXIST);
}

}  // namespace

NewFile::NewFile(const OpenFile& folder, OpenFile file, std::string name)
    : folder_(folder), file_(std::move(file)), name_(std::move(name)) {}

NewFile::NewFile(NewFile&& other) noexcept
    : folder_(other.folder_),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, std::string())) {}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlinkat(folder_.fd(), name_.c_str(), 0);
}

absl::StatusOr<NewFile> NewFile::Create(const OpenFile& folder, const FileVersion& old) {
  const mode_t mode = old.exists ? kOfUserAlone : kFileModeBeforeUmask;
  OpenFile nameless(::openat(folder.fd(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
  if (nameless.fd() >= 0) return NewFile(folder, std::move(nameless), "");
  return CreateNamed(folder, old);
}

absl::StatusOr<NewFile> NewFile::CreateNamed(const OpenFile& folder, const FileVersion& old) {
  const mode_t mode = old.exists ? kOfUserAlone : kFileModeBeforeUmask;
  OpenFile file;
  absl::StatusOr<std::string> name = TakeName([&](const std::string& free_name) {
    file = OpenFile(::openat(folder.fd(), free_name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    return file.fd() >= 0;
  });
  if (!name.ok()) return name.status();
  return NewFile(folder, std::move(file), *std::move(name));
}

absl::Status NewFile::GiveName() {
  const std::string handle = absl::StrCat("/proc/self/fd/", file_.fd());
  absl::StatusOr<std::string> name = TakeName([&](const std::string& free_name) {
    return ::linkat(AT_FDCWD, handle.c_str(), folder_.fd(), free_name.c_str(), AT_SYMLINK_FOLLOW) ==
           0;
  });
  if (!name.ok()) return name.status();
  name_ = *std::move(name);
  return absl::OkStatus();
}

absl::Status NewFile::Write(std::string_view content, const std::stop_token& stop) {
  while (!content.empty()) {
    if (absl::Status status = CheckStop(stop); !status.ok()) return status;
    const ssize_t count =
        ::write(file_.fd(), content.data(), std::min(content.size(), kWriteBytes));
    if (count < 0 && errno != EINTR) return ChangeError(errno);
    if (count > 0) content.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Sets the owner only if the system allows it, and before the mode, which that would change. The
// set-user-ID and set-group-ID bits are not copied to the new content.
absl::Status NewFile::Dress(const FileVersion& old) const {
  constexpr mode_t kRights = 0777;
  if (!old.exists) return absl::OkStatus();
  struct stat own {};
  if (::fstat(file_.fd(), &own) != 0) return ChangeError(errno);
  if (own.st_uid != old.facts.st_uid || own.st_gid != old.facts.st_gid) {
    [[maybe_unused]] const int result = ::fchown(file_.fd(), old.facts.st_uid, old.facts.st_gid);
  }
  return ::fchmod(file_.fd(), old.facts.st_mode & kRights) == 0 ? absl::OkStatus()
                                                                : ChangeError(errno);
}

absl::Status NewFile::TakePlaceOf(const FileVersion& old, const std::string& name) {
  if (absl::Status status = Dress(old); !status.ok()) return status;
  const bool has_name = !name_.empty();
  if (has_name) {
    if (absl::Status status = Close(); !status.ok()) return status;
  }
  const size_t max_bytes = old.content ? old.content->size() : 0;
  absl::StatusOr<FileVersion> now = LookAt(folder_, name, max_bytes);
  if (!now.ok()) return now.status();
  if (!IsSame(old, *now)) return ChangedMeanwhile();
  // As late as possible: if the program ends before this, no file remains.
  if (!has_name) {
    if (absl::Status status = GiveName(); !status.ok()) return status;
    if (absl::Status status = Close(); !status.ok()) return status;
  }
  const int error = old.exists ? MoveTo(name) : MoveToVacant(name);
  if (error == EEXIST) return ChangedMeanwhile();
  if (error != 0) return ChangeError(error);
  name_.clear();
  return absl::OkStatus();
}

// Some file systems report only now that there was no space.
absl::Status NewFile::Close() {
  return ::close(file_.Release()) == 0 || errno == EINTR ? absl::OkStatus() : ChangeError(errno);
}

int NewFile::MoveTo(const std::string& name) const {
  return ::renameat(folder_.fd(), name_.c_str(), folder_.fd(), name.c_str()) == 0 ? 0 : errno;
}

// Some file systems cannot rename without replacing. There, rely on the check just made.
int NewFile::MoveToVacant(const std::string& name) const {
  if (::renameat2(folder_.fd(), name_.c_str(), folder_.fd(), name.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  return errno == EINVAL || errno == ENOSYS ? MoveTo(name) : errno;
}

}  // namespace cursorwire::workspace
