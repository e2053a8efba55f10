#include "workspace/fs/file_version.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

constexpr size_t kReadBytes = size_t{64} * 1024;

bool IsSameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

std::optional<std::string> ReadAll(const OpenFile& file, size_t max_bytes) {
  max_bytes = std::min(max_bytes, std::numeric_limits<size_t>::max() - 1);
  std::string content;
  for (;;) {
    const size_t old_size = content.size();
    content.resize(old_size + std::min(kReadBytes, max_bytes + 1 - old_size));
    const absl::StatusOr<size_t> count =
        file.Read(content.data() + old_size, content.size() - old_size);
    if (!count.ok()) return std::nullopt;
    content.resize(old_size + *count);
    if (*count == 0) return content;
    if (content.size() > max_bytes) return std::nullopt;
  }
}

bool IsText(std::string_view bytes) { return bytes.find('\0') == bytes.npos && IsUtf8(bytes); }

absl::StatusOr<FileVersion> LookAt(const OpenFile& folder, const std::string& name,
                                   size_t max_bytes) {
  FileVersion version;
  if (::fstatat(folder.fd(), name.c_str(), &version.facts, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return version;
    return FileError(errno);
  }
  version.exists = true;
  version.kind = KindOfMode(version.facts.st_mode);
  if (version.kind != FileKind::kRegular) return version;
  // O_NONBLOCK: if the name has become a pipe, open() must not wait for its other end.
  const OpenFile file(::openat(folder.fd(), name.c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.fd() < 0) return version;
  if (::fstat(file.fd(), &version.facts) != 0) return FileError(errno);
  version.kind = KindOfMode(version.facts.st_mode);
  if (version.kind == FileKind::kRegular) version.content = ReadAll(file, max_bytes);
  return version;
}

bool IsSame(const FileVersion& a, const FileVersion& b) {
  if (!a.exists || !b.exists) return a.exists == b.exists;
  return a.facts.st_dev == b.facts.st_dev && a.facts.st_ino == b.facts.st_ino &&
         a.facts.st_mode == b.facts.st_mode && a.facts.st_size == b.facts.st_size &&
         IsSameTime(a.facts.st_mtim, b.facts.st_mtim) &&
         IsSameTime(a.facts.st_ctim, b.facts.st_ctim) && a.content == b.content;
}

}  // namespace cursorwire::workspace
