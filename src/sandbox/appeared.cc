#include "sandbox/appeared.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file_descriptor.h"
#include "base/strings.h"
#include "sandbox/name_walk.h"
#include "sandbox/new_code.h"
#include "sandbox/path_order.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxShownWalk = 300;

std::string_view LastName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string FolderAbove(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The paths of places have no links; one that has come since is not followed at its end.
FileDescriptor OpenHeldFolder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void HoldName(const std::string& path, HeldPlaces& held) {
  struct stat info {};
  if (::lstat(FolderAbove(path).c_str(), &info) != 0) return;
  held.names.insert({{info.st_dev, info.st_ino}, std::string(LastName(path))});
}

void LookThrough(const std::string& folder, const std::vector<std::string>& passed_by,
                 NewCode& code) {
  const WalkStop stop = WalkNames(folder, {.passed_by = passed_by}, [&code](const SeenName& seen) {
    switch (seen.kind) {
      case SeenName::Kind::kProtected:
        return code.Look(seen.folder, seen.name, seen.path());
      case SeenName::Kind::kGitFolder:
        if (code.IsKnownGit(seen.info)) return;
        code.Say(Printable(seen.path(), kMaxShownWalk) + " was made: a repository of git");
        return code.LookIntoGit(seen.folder, seen.path());
      case SeenName::Kind::kUnreadable:
        return code.LookAtUnreadable(seen.folder, seen.name, seen.path());
    }
  });
  if (stop == WalkStop::kNothing) return;
  code.Say("what runs code in " + Printable(folder, kMaxShownWalk) +
           " may be new: it has become too large or too deep to look through");
}

}  // namespace

Appeared Appeared::Before(const Places& places) {
  Appeared appeared;
  HeldPlaces& held = appeared.held_;
  if (!places.workspace_is_read_only) held.folders.push_back(places.workspace);
  for (const std::string& folder : places.writable) {
    if (!IsWithinAny(folder, held.folders)) held.folders.push_back(folder);
  }
  appeared.passed_by_ = places.hidden_folders;
  appeared.absent_ = places.absent;
  held.git_paths = places.git;
  for (const std::string& path : places.protected_) HoldName(path, held);
  for (const std::string& path : places.git) {
    HoldName(path, held);
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0) held.git_folders.insert({info.st_dev, info.st_ino});
  }
  // File systems take their times from this clock.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &held.start);
  return appeared;
}

std::vector<std::string> Appeared::After() {
  NewCode code(held_);
  for (const std::string& folder : held_.folders) LookThrough(folder, passed_by_, code);
  for (const std::string& path : held_.git_paths) {
    const FileDescriptor git = OpenHeldFolder(path);
    struct stat info {};
    if (!git.valid() || ::fstat(git.get(), &info) != 0 || !code.IsKnownGit(info)) continue;
    code.LookIntoGit(git.get(), path);
  }
  for (const std::string& path : absent_) {
    const FileDescriptor folder = OpenHeldFolder(FolderAbove(path));
    struct stat info {};
    const std::string name(LastName(path));
    if (!folder.valid() || ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    code.Block(folder.get(), name, path);
  }
  return code.TakeLines();
}

}  // namespace cursorwire::sandbox
