#include "workspace/fs/code_file.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "sandbox/protected_names.h"
#include "workspace/fs/link_target.h"
#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {
namespace {

bool IsAtOrBelow(std::string_view path, const std::string& folder) {
  return folder == "/" || path == folder || path.starts_with(folder + "/");
}

// What a folder has under a name; a link is not followed.
enum class Entry { kNone, kLink, kOther, kUnknown };

Entry EntryOf(const OpenFile& folder, const std::string& name) {
  struct stat info {};
  if (::fstatat(folder.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return S_ISLNK(info.st_mode) ? Entry::kLink : Entry::kOther;
  }
  return errno == ENOENT || errno == ENOTDIR ? Entry::kNone : Entry::kUnknown;
}

// Whether a name of the list is a link in this folder that leads to the path or to a folder above
// it: what is written there is read through the link.
bool LeadsTo(const Workspace& workspace, const OpenFile& folder, const std::string& place,
             const std::string& path, size_t& names_left) {
  for (const std::string_view name : sandbox::ProtectedNames()) {
    const Entry entry = EntryOf(folder, std::string(name));
    if (entry == Entry::kUnknown) return true;
    if (entry != Entry::kLink) continue;
    // Not as the workspace is read, where such a link may lead nowhere: what reads this one may
    // leave the folder and come back.
    const auto target = WhereItLeads(workspace.AbsolutePath(Join(place, name)), names_left);
    if (!target || IsAtOrBelow(path, *target)) return true;
  }
  return false;
}

// Whether a folder above the path makes code of it: a bare repository, or a folder made by
// --separate-git-dir; or a link that leads to the path. A folder may forbid to list it, and still
// let others through, so it is not opened for reading. What nobody can tell counts as code.
bool IsCodeByAFolderAbove(const Workspace& workspace, const std::string& path, std::string place) {
  size_t names_left = kMaxNamesFollowed;
  while (!place.empty()) {
    const size_t slash = place.rfind('/');
    place.resize(slash == place.npos ? 0 : slash);
    const absl::StatusOr<OpenFile> folder = workspace.OpenPath(place);
    if (absl::IsNotFound(folder.status())) continue;  // it will be made
    // git takes a HEAD that is a link without looking where it leads.
    if (!folder.ok() || EntryOf(*folder, sandbox::kHead) != Entry::kNone ||
        LeadsTo(workspace, *folder, place, path, names_left)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsNameOfCode(std::string_view part) { return sandbox::IsProtectedName(part); }

bool RunsCode(const Workspace& workspace, std::string_view asked, const std::string& path) {
  const absl::StatusOr<std::string> asked_place = workspace.Locate(asked);
  if (sandbox::HasProtectedName(path) || !asked_place.ok() ||
      sandbox::HasProtectedName(*asked_place)) {
    return true;
  }
  if (sandbox::IsNameOfHead(path.substr(path.rfind('/') + 1))) return true;
  const absl::StatusOr<std::string> place = workspace.Locate(path);
  return !place.ok() || IsCodeByAFolderAbove(workspace, path, *place);
}

bool IsOneOf(const std::vector<std::string>& files, const std::string& path) {
  struct stat here {};
  const bool exists = ::stat(path.c_str(), &here) == 0;
  size_t names_left = kMaxNamesFollowed;
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    struct stat there {};
    if (exists && ::stat(file.c_str(), &there) == 0) {
      return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    }
    const std::optional<std::string> target = WhereItLeads(file, names_left);
    return !target || *target == path;
  });
}

}  // namespace cursorwire::workspace
