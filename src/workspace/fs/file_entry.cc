#include "workspace/fs/file_entry.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

constexpr int kMaxFollowed = 40;  // the kernel's limit

// Removes and returns the last part of a place.
std::string TakeLast(std::string& place) {
  const size_t slash = place.rfind('/');
  std::string last = slash == place.npos ? place : place.substr(slash + 1);
  place.resize(slash == place.npos ? 0 : slash);
  return last;
}

// Opens the folder at `place` or, if it does not exist, the nearest existing one above it.
absl::Status OpenExisting(const Workspace& workspace, std::string place, FileEntry& entry) {
  for (;;) {
    absl::StatusOr<OpenFile> folder = workspace.OpenFolder(place);
    if (folder.ok()) {
      entry.folder = *std::move(folder);
      std::reverse(entry.missing.begin(), entry.missing.end());
      return absl::OkStatus();
    }
    if (!absl::IsNotFound(folder.status()) || place.empty()) return folder.status();
    entry.missing.push_back(TakeLast(place));
  }
}

// The target of the link, relative to its folder; empty if `entry` is not a link.
absl::StatusOr<std::string> LinkTarget(const FileEntry& entry) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t size =
      ::readlinkat(entry.folder.fd(), entry.name.c_str(), buffer.data(), buffer.size());
  if (size < 0 && (errno == EINVAL || errno == ENOENT)) return std::string();
  if (size < 0) return FileError(errno);
  std::string target(buffer.data(), static_cast<size_t>(size));
  if (target.size() == buffer.size()) return FileError(ENAMETOOLONG);
  if (target.starts_with('/')) return PlaceError(EXDEV);
  return target;
}

bool NamesAFolder(std::string_view name) { return name.empty() || name == "." || name == ".."; }

absl::Status FillPath(FileEntry& entry) {
  absl::StatusOr<std::string> path = PathOf(entry.folder);
  if (!path.ok()) return path.status();
  entry.path = *path == "/" ? "" : *std::move(path);
  for (const std::string& folder : entry.missing) absl::StrAppend(&entry.path, "/", folder);
  absl::StrAppend(&entry.path, "/", entry.name);
  return IsUtf8(entry.path) ? absl::OkStatus() : InvalidArgument("the path is no UTF-8");
}

}  // namespace

absl::StatusOr<std::string> PathOf(const OpenFile& file) {
  std::array<char, PATH_MAX> buffer{};
  const std::string handle = absl::StrCat("/proc/self/fd/", file.fd());
  const ssize_t size = ::readlink(handle.c_str(), buffer.data(), buffer.size());
  if (size < 0 || static_cast<size_t>(size) == buffer.size()) {
    return LocalError(absl::StatusCode::kUnknown,
                      "cannot tell the path: /proc is not as it should");
  }
  return std::string(buffer.data(), static_cast<size_t>(size));
}

absl::StatusOr<FileEntry> FindEntry(const Workspace& workspace, std::string_view path,
                                    LastLink link) {
  const absl::StatusOr<std::string> located = workspace.Locate(path);
  if (!located.ok()) return located.status();
  std::string place = *located;
  for (int followed = 0; followed <= kMaxFollowed; ++followed) {
    FileEntry entry;
    std::string parent = place;
    entry.name = TakeLast(parent);
    if (NamesAFolder(entry.name)) return WrongKind(FileKind::kFolder, FileKind::kRegular);
    if (absl::Status status = OpenExisting(workspace, parent, entry); !status.ok()) return status;
    if (!entry.missing.empty() && followed > 0) return FileError(ENOENT);
    std::string target;
    if (link == LastLink::kFollow && entry.missing.empty()) {
      absl::StatusOr<std::string> read = LinkTarget(entry);
      if (!read.ok()) return read.status();
      target = *std::move(read);
    }
    if (target.empty()) {
      if (absl::Status status = FillPath(entry); !status.ok()) return status;
      return entry;
    }
    place = Join(parent, target);
  }
  return FileError(ELOOP);
}

}  // namespace cursorwire::workspace
