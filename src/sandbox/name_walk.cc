#include "sandbox/name_walk.h"

#include <absl/strings/str_cat.h>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "sandbox/protected_names.h"

namespace cursorwire::sandbox {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

// What one reading of a folder gave.
struct FolderNames {
  std::vector<std::string> folders{};
  std::vector<std::string> protected_{};
  bool has_head = false;
  bool has_repository = false;  // "objects", "refs" or "commondir"
};

class NameWalk {
 public:
  NameWalk(const NameWalkOptions& options, absl::FunctionRef<void(const SeenName&)> tell)
      : options_(options), tell_(tell), entries_left_(options.max_entries) {}

  WalkStop stop() const { return stop_; }

  void Enter(int parent, const std::string& name, const std::string& path, int depth) {
    if (depth > options_.max_depth) stop_ = WalkStop::kTooDeep;
    if (stop_ != WalkStop::kNothing) return;
    const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return TellUnreadable(parent, name, path);
    Dir dir(::fdopendir(fd));
    if (dir == nullptr) {
      ::close(fd);
      return;
    }
    const FolderNames names = Read(dir.get(), path);
    struct stat info {};
    if (::fstat(fd, &info) != 0) return;
    SeenName seen{.folder = fd, .folder_path = path, .info = info, .folder_info = info};
    if (names.has_head && names.has_repository) {
      seen.kind = SeenName::Kind::kGitFolder;
      return tell_(seen);
    }
    for (const std::string& found : names.protected_) {
      seen.name = found;
      if (::fstatat(fd, found.c_str(), &seen.info, AT_SYMLINK_NOFOLLOW) == 0) tell_(seen);
    }
    for (const std::string& folder : names.folders) {
      const std::string below = absl::StrCat(path, "/", folder);
      if (IsPassedBy(folder, below)) continue;
      Enter(fd, folder, below, depth + 1);
    }
  }

 private:
  bool IsPassedBy(const std::string& name, const std::string& path) const {
    return name == "node_modules" || std::find(options_.passed_by.begin(), options_.passed_by.end(),
                                               path) != options_.passed_by.end();
  }

  void TellUnreadable(int parent, const std::string& name, const std::string& path) {
    if (errno == EMFILE || errno == ENFILE) stop_ = WalkStop::kTooDeep;
    if (errno != EACCES && errno != EPERM) return;  // it has gone, or is another thing by now
    SeenName seen{.kind = SeenName::Kind::kUnreadable, .folder = parent, .name = name};
    seen.folder_path = path.substr(0, path.rfind('/'));
    if (::fstatat(parent, name.c_str(), &seen.info, AT_SYMLINK_NOFOLLOW) == 0) tell_(seen);
  }

  FolderNames Read(DIR* dir, const std::string& path) {
    FolderNames names;
    const std::string_view own = std::string_view(path).substr(path.rfind('/') + 1);
    // Safe as long as two threads do not read the same stream.
    while (const dirent* entry = ::readdir(dir)) {  // NOLINT(concurrency-mt-unsafe)
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (entries_left_ == 0) {
        stop_ = WalkStop::kTooMany;
        break;
      }
      --entries_left_;
      const unsigned char type = TypeOf(dir, *entry);
      if (name == kHead) names.has_head = type != DT_DIR;
      if (name == "objects" || name == "refs" || name == "commondir") names.has_repository = true;
      if (IsProtectedName(name) || IsProtectedPlace(own, name)) {
        names.protected_.emplace_back(name);
      } else if (type == DT_DIR) {
        names.folders.emplace_back(name);
      }
    }
    return names;
  }

  // Some file systems do not tell.
  static unsigned char TypeOf(DIR* dir, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type;
    struct stat info {};
    if (::fstatat(::dirfd(dir), entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return S_ISDIR(info.st_mode) ? DT_DIR : DT_REG;
  }

  const NameWalkOptions& options_;
  const absl::FunctionRef<void(const SeenName&)> tell_;
  size_t entries_left_;
  WalkStop stop_ = WalkStop::kNothing;
};

}  // namespace

WalkStop WalkNames(const std::string& folder, const NameWalkOptions& options,
                   absl::FunctionRef<void(const SeenName&)> tell) {
  NameWalk walk(options, tell);
  walk.Enter(AT_FDCWD, folder, folder, 0);
  return walk.stop();
}

}  // namespace cursorwire::sandbox
