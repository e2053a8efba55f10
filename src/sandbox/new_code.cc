#include "sandbox/new_code.h"

#include <absl/strings/str_cat.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_descriptor.h"
#include "base/strings.h"
#include "base/text.h"
#include "sandbox/git_config.h"
#include "sandbox/git_places.h"
#include "sandbox/path_order.h"
#include "sandbox/protected_names.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxLines = 100;
constexpr size_t kMaxShownNewPath = 300;
constexpr int kMaxBlockedNumber = 1'000;
constexpr int kMaxModuleDepth = 20;
constexpr size_t kMaxConfigBytes = 65'536;

std::string ShownNewPath(std::string_view path) { return Printable(path, kMaxShownNewPath); }

FileDescriptor OpenFolderAt(int parent, const std::string& name) {
  return FileDescriptor(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool StatAt(int folder, const std::string& name, struct stat& info) {
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

// A regular file's text; false: it is none, cannot be read, or is larger.
bool ReadPlainFile(int folder, const std::string& name, std::string& text) {
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  text.resize(kMaxConfigBytes + 1);
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t bytes = ::read(file.get(), text.data() + size, text.size() - size);
    if (bytes < 0) return false;
    if (bytes == 0) break;
    size += static_cast<size_t>(bytes);
  }
  text.resize(size);
  return size <= kMaxConfigBytes;
}

struct CloseNewDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// The names in a folder, at most so many.
std::vector<std::string> NamesIn(int folder, size_t& left) {
  std::vector<std::string> names;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseNewDir> dir(copy < 0 ? nullptr : ::fdopendir(copy));
  if (dir == nullptr) {
    if (copy >= 0) ::close(copy);
    return names;
  }
  // Safe as long as two threads do not read the same stream.
  while (const dirent* entry = ::readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (left == 0) break;
    --left;
    names.emplace_back(name);
  }
  return names;
}

bool IsBefore(const timespec& one, const timespec& other) {
  return std::pair(one.tv_sec, one.tv_nsec) < std::pair(other.tv_sec, other.tv_nsec);
}

// Nothing is replaced. 0, or the error.
int RenameWithin(int folder, const std::string& from, const std::string& to) {
  if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system cannot say "but do not replace".
  struct stat info {};
  if (StatAt(folder, to, info)) return EEXIST;
  return ::renameat(folder, from.c_str(), folder, to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

void NewCode::Say(std::string line) {
  if (lines_.size() < kMaxLines) {
    lines_.push_back(std::move(line));
  } else {
    ++lines_left_out_;
  }
}

std::vector<std::string> NewCode::TakeLines() {
  if (entries_left_ == 0) lines_.emplace_back("new git folders are too large to look through");
  if (lines_left_out_ > 0) lines_.push_back(absl::StrCat("and ", lines_left_out_, " more"));
  lines_left_out_ = 0;
  return std::exchange(lines_, {});
}

bool NewCode::IsHeld(int folder, const std::string& name) const {
  struct stat info {};
  return ::fstat(folder, &info) == 0 && held_.names.contains({{info.st_dev, info.st_ino}, name});
}

// A link is never held: it was there if it has not been made since. Of other things the folder
// counts, too, for file systems on which a rename leaves no mark on what is renamed.
bool NewCode::IsNew(int folder, const struct stat& info) const {
  if (!IsBefore(info.st_ctim, held_.start)) return true;
  struct stat above {};
  return !S_ISLNK(info.st_mode) &&
         (::fstat(folder, &above) != 0 || !IsBefore(above.st_ctim, held_.start));
}

void NewCode::Block(int folder, const std::string& name, const std::string& path) {
  if (blocks_left_ == 0)
    return Say(ShownNewPath(path) + " runs code, and was not moved away: too many");
  --blocks_left_;
  int error = EEXIST;
  for (int number = 1; error == EEXIST && number <= kMaxBlockedNumber; ++number) {
    const std::string blocked = absl::StrCat(name, ".blocked-", number);
    error = RenameWithin(folder, name, blocked);
    if (error == 0) {
      return Say(
          absl::StrCat(ShownNewPath(path), " runs code: it was moved to ", ShownNewPath(blocked)));
    }
  }
  if (error == ENOENT) return;
  Say(absl::StrCat(ShownNewPath(path), " runs code, and could not be moved away: ",
                   std::system_category().message(error)));
}

void NewCode::Look(int folder, const std::string& name, const std::string& path) {
  struct stat info {};
  if (!StatAt(folder, name, info)) return;
  if (IsNameOfGit(name) && S_ISDIR(info.st_mode) && IsKnownGit(info)) {
    // Its folder may have been renamed, and so be where no mount was.
    const FileDescriptor known = OpenFolderAt(folder, name);
    if (known.valid()) LookIntoGit(known.get(), path);
    return;
  }
  if (IsHeld(folder, name) || !IsNew(folder, info)) return;
  if (!IsNameOfGit(name)) return Block(folder, name, path);
  if (S_ISREG(info.st_mode) && LeadsToAKnownGit(path)) {
    return Say(ShownNewPath(path) + " was made: a worktree or submodule of git");
  }
  if (!S_ISDIR(info.st_mode)) return Block(folder, name, path);
  const FileDescriptor git = OpenFolderAt(folder, name);
  if (!git.valid()) return Block(folder, name, path);
  Say(ShownNewPath(path) + " was made: a repository of git");
  LookIntoGit(git.get(), path);
}

void NewCode::LookAtUnreadable(int folder, const std::string& name, const std::string& path) {
  struct stat info {};
  if (!StatAt(folder, name, info) || IsHeld(folder, name) || !IsNew(folder, info)) return;
  Say(ShownNewPath(path) + " cannot be read any more: nobody knows what runs code in it");
}

// Only to what LookIntoGit() looks into: the folder itself, one of its worktrees or submodules.
bool NewCode::LeadsToAKnownGit(const std::string& path) const {
  const std::string target = FolderOfGitFile(ReadShortFile(path), path);
  if (target.empty()) return false;
  const std::string above = target.substr(0, target.rfind('/'));
  return std::any_of(held_.git_paths.begin(), held_.git_paths.end(), [&](const std::string& git) {
    if (target == git || above == git + "/worktrees") return true;
    const std::string modules = git + "/modules";
    if (!IsAtOrBelow(above, modules)) return false;
    for (std::string folder = above; folder != modules; folder.resize(folder.rfind('/'))) {
      struct stat info {};
      if (StatAt(AT_FDCWD, absl::StrCat(folder, "/", kHead), info)) return false;
    }
    return true;
  });
}

void NewCode::LookIntoGit(int git_folder, const std::string& path) {
  LookAtConfig(git_folder, "config", path);
  LookAtConfig(git_folder, "config.worktree", path);
  LookAtHooks(git_folder, path);
  // It would lead to the settings of another folder.
  struct stat info {};
  if (StatAt(git_folder, "commondir", info) && !IsHeld(git_folder, "commondir")) {
    Block(git_folder, "commondir", path + "/commondir");
  }
  LookIntoWorktrees(git_folder, path);
  const FileDescriptor modules = OpenFolderAt(git_folder, "modules");
  if (modules.valid()) return LookIntoModules(modules.get(), path + "/modules", 0);
  if (StatAt(git_folder, "modules", info) && S_ISLNK(info.st_mode) && IsNew(git_folder, info)) {
    Block(git_folder, "modules", path + "/modules");
  }
}

void NewCode::LookAtConfig(int folder, const std::string& name, const std::string& path) {
  struct stat info {};
  if (!StatAt(folder, name, info) || IsHeld(folder, name)) return;
  const auto is_work_tree = [&](const std::string& value) {
    const std::string tree =
        ResolvedPath(value.starts_with('/') ? value : absl::StrCat(path, "/", value));
    return !tree.empty() && IsWithinAny(tree, held_.folders);
  };
  std::string text;
  if (ReadPlainFile(folder, name, text) && IsPlainGitConfig(text, is_work_tree)) return;
  Block(folder, name, absl::StrCat(path, "/", name));
}

void NewCode::LookAtHooks(int git_folder, const std::string& path) {
  struct stat info {};
  if (!StatAt(git_folder, "hooks", info) || IsHeld(git_folder, "hooks")) return;
  const std::string hooks_path = path + "/hooks";
  const FileDescriptor hooks = OpenFolderAt(git_folder, "hooks");
  if (!hooks.valid()) {
    // A link of a known folder is not held, but may have been there.
    if (IsNew(git_folder, info)) Block(git_folder, "hooks", hooks_path);
    return;
  }
  for (const std::string& name : NamesIn(hooks.get(), entries_left_)) {
    if (name.ends_with(".sample") || name.find(".blocked-") != name.npos) continue;
    Block(hooks.get(), name, absl::StrCat(hooks_path, "/", name));
  }
}

void NewCode::LookIntoWorktrees(int git_folder, const std::string& path) {
  const FileDescriptor worktrees = OpenFolderAt(git_folder, "worktrees");
  if (!worktrees.valid()) return;
  for (const std::string& name : NamesIn(worktrees.get(), entries_left_)) {
    const FileDescriptor worktree = OpenFolderAt(worktrees.get(), name);
    if (!worktree.valid()) continue;
    const std::string below = absl::StrCat(path, "/worktrees/", name);
    LookAtConfig(worktree.get(), "config.worktree", below);
    struct stat info {};
    if (!StatAt(worktree.get(), "commondir", info) || IsHeld(worktree.get(), "commondir")) continue;
    std::string text;
    if (ReadPlainFile(worktree.get(), "commondir", text) && Trim(text) == "../..") continue;
    Block(worktree.get(), "commondir", below + "/commondir");
  }
}

void NewCode::LookIntoModules(int folder, const std::string& path, int depth) {
  if (depth > kMaxModuleDepth) return Say(ShownNewPath(path) + " is too deep to look through");
  for (const std::string& name : NamesIn(folder, entries_left_)) {
    const FileDescriptor below = OpenFolderAt(folder, name);
    if (!below.valid()) continue;
    const std::string below_path = absl::StrCat(path, "/", name);
    struct stat info {};
    if (StatAt(below.get(), kHead, info)) {
      LookIntoGit(below.get(), below_path);
    } else {
      LookIntoModules(below.get(), below_path, depth + 1);
    }
  }
}

}  // namespace cursorwire::sandbox
