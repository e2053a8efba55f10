#include "workspace/fs/workspace.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

using Parts = std::vector<std::string_view>;

// The parts of an absolute path, as views into it.
Parts Split(std::string_view path) {
  Parts parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  return parts;
}

// The rest of `path` if it is below `folder`, else nullopt.
std::optional<std::string> Below(const Parts& path, std::string_view folder) {
  const Parts start = Split(folder);
  if (start.size() > path.size() || !std::equal(start.begin(), start.end(), path.begin())) {
    return std::nullopt;
  }
  std::string place;
  for (auto part = path.begin() + static_cast<ptrdiff_t>(start.size()); part != path.end();
       ++part) {
    place = Join(place, *part);
  }
  return place;
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    if (digits.size() != 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]))) {
      return std::nullopt;
    }
    result += absl::HexStringToBytes(ToAbsl(digits));
    i += 2;
  }
  return result;
}

constexpr std::string_view kFileScheme = "file://";

// The path of a URI of this machine. Source: RFC 8089.
absl::StatusOr<std::string> PathOfUri(std::string_view uri) {
  std::string_view rest = uri.substr(kFileScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  if (!rest.starts_with('/')) return InvalidArgument("a file: URI of another machine; give a path");
  const std::optional<std::string> path = PercentDecode(rest);
  if (!path) return InvalidArgument("the file: URI has a % without two hex digits after it");
  return *path;
}

// The absolute path with its links; empty if ".." makes it ambiguous, or without a current folder.
std::string AliasOf(const std::string& folder) {
  std::string path = folder;
  if (!path.starts_with('/')) {
    const std::unique_ptr<char, decltype(&std::free)> current(::getcwd(nullptr, 0), &std::free);
    if (current == nullptr) return "";
    path = absl::StrCat(current.get(), "/", folder);
  }
  return absl::StrCat(path, "/").find("/../") == std::string::npos ? path : "";
}

absl::StatusOr<FileKind> KindOfFile(const OpenFile& file) {
  const absl::StatusOr<FileFacts> facts = file.Facts();
  if (!facts.ok()) return facts.status();
  return facts->kind;
}

absl::Status Require(FileKind wanted, const OpenFile& file) {
  const absl::StatusOr<FileKind> kind = KindOfFile(file);
  if (!kind.ok()) return kind.status();
  if (*kind == wanted) return absl::OkStatus();
  return WrongKind(*kind, wanted);
}

}  // namespace

std::string Join(std::string_view place, std::string_view name) {
  return place.empty() ? std::string(name) : absl::StrCat(ToAbsl(place), "/", ToAbsl(name));
}

Workspace::Workspace(std::string folder, std::string alias, OpenFile handle, Resolver resolver)
    : folder_(std::move(folder)),
      alias_(std::move(alias)),
      handle_(std::make_shared<const OpenFile>(std::move(handle))),
      resolver_(resolver) {}

absl::StatusOr<Workspace> Workspace::Open(const std::string& folder, Resolver resolver) {
  if (folder.empty() || folder.find('\0') != std::string::npos) {
    return InvalidArgument("the folder's path is empty, or has a zero byte");
  }
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(folder.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    return InvalidArgument(absl::StrCat("cannot open the folder: ", FileError(errno).message()));
  }
  // Opened for reading, so that a folder that cannot be listed is refused here.
  OpenFile handle(::open(real.get(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.fd() < 0) {
    return InvalidArgument(
        errno == ENOTDIR ? "cannot open the folder: it is not a folder"
                         : absl::StrCat("cannot open the folder: ", FileError(errno).message()));
  }
  if (!KernelResolves(handle.fd())) resolver = Resolver::kWalk;
  return Workspace(real.get(), AliasOf(folder), std::move(handle), resolver);
}

std::string Workspace::AbsolutePath(std::string_view place) const {
  if (place.empty()) return folder_;
  return absl::StrCat(folder_ == "/" ? "" : folder_, "/", ToAbsl(place));
}

absl::StatusOr<std::string> Workspace::Locate(std::string_view path) const {
  std::string decoded;
  if (path.starts_with(kFileScheme)) {
    absl::StatusOr<std::string> of_uri = PathOfUri(path);
    if (!of_uri.ok()) return of_uri.status();
    decoded = *std::move(of_uri);
    path = decoded;
  }
  if (path.find('\0') != path.npos) return InvalidArgument("the path has a zero byte");
  if (path.size() >= PATH_MAX) return FileError(ENAMETOOLONG);
  const std::string absolute =
      path.starts_with('/') ? std::string(path) : absl::StrCat(folder_, "/", ToAbsl(path));
  const Parts parts = Split(absolute);
  std::optional<std::string> place = Below(parts, folder_);
  if (!place && !alias_.empty()) place = Below(parts, alias_);
  if (!place) return FileError(EXDEV);
  return *std::move(place);
}

absl::StatusOr<OpenFile> Workspace::OpenAt(const std::string& place, int flags,
                                           LastLink link) const {
  if (link == LastLink::kRefuse) flags |= O_NOFOLLOW;
  const int fd = OpenBeneath(handle_->fd(), place, flags, resolver_, links_);
  OpenFile file(fd);
  if ((fd == -ENOENT || place.empty()) && IsGone()) {
    return LocalError(absl::StatusCode::kNotFound, "the folder that is shared has been removed");
  }
  if (fd < 0) return PlaceError(-fd);
  return file;
}

bool Workspace::IsGone() const {
  struct stat facts {};
  return ::fstat(handle_->fd(), &facts) == 0 && facts.st_nlink == 0;
}

Workspace Workspace::WithoutLinks() const {
  Workspace strict = *this;
  strict.links_ = Links::kRefuse;
  return strict;
}

absl::StatusOr<OpenFile> Workspace::OpenPath(const std::string& place) const {
  return OpenAt(place, O_PATH, LastLink::kFollow);
}

absl::StatusOr<FileKind> Workspace::KindOf(const std::string& place) const {
  const absl::StatusOr<OpenFile> file = OpenPath(place);
  if (!file.ok()) return file.status();
  return KindOfFile(*file);
}

absl::StatusOr<OpenFile> Workspace::OpenFolder(const std::string& place, LastLink link) const {
  // Without O_DIRECTORY, whose ENOTDIR would not tell which part is not a folder.
  const absl::StatusOr<OpenFile> found = OpenAt(place, O_PATH, link);
  if (!found.ok()) return found.status();
  if (absl::Status kind = Require(FileKind::kFolder, *found); !kind.ok()) return kind;
  const int fd = ::openat(found->fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return FileError(errno);
  return OpenFile(fd);
}

absl::StatusOr<OpenFile> Workspace::OpenRegularFile(const std::string& place, LastLink link) const {
  // Opening a pipe or a device for reading can have side effects, so look at its kind first.
  const absl::StatusOr<OpenFile> found = OpenAt(place, O_PATH, link);
  if (!found.ok()) return found.status();
  if (absl::Status kind = Require(FileKind::kRegular, *found); !kind.ok()) return kind;
  absl::StatusOr<OpenFile> file = OpenAt(place, O_RDONLY | O_NONBLOCK | O_NOCTTY, link);
  if (!file.ok()) return file.status();
  if (absl::Status kind = Require(FileKind::kRegular, *file); !kind.ok()) return kind;
  return file;
}

}  // namespace cursorwire::workspace
