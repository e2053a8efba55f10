#include "workspace/fs/code_file.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>

#include "base/strings.h"
#include "base/unseen.h"
#include "workspace/fs/link_target.h"
#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {
namespace {

// In lower case. docs/workspace.md, "Files that run code", gives the reasons. Of names that have a
// rule below, the usual ones stand here, too: these are looked for as links.
constexpr std::string_view kNames[] = {
    // Hooks, and commands of their settings, which version control runs.
    ".git", ".hg", ".jj", ".sl", ".husky", ".pre-commit-config.yaml", ".pre-commit-config.yml",
    "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml",
    ".lefthook-local.yml", "prek.toml", "captainhook.json",
    // Tasks and language servers, which an editor starts.
    ".vscode", ".vs", ".idea", ".fleet", ".zed", ".helix", ".devcontainer", ".devcontainer.json",
    // Hooks and servers of tools, which an agent starts.
    ".cursor", ".claude", ".codex", ".gemini", ".qwen", ".kiro", ".roo", ".kilocode", ".windsurf",
    ".cline", ".clinerules", ".continue", ".amazonq", ".factory", ".junie", ".trae", ".opencode",
    "opencode.json", "opencode.jsonc", ".aider.conf.yml", "crush.json", ".crush.json", ".mcp.json",
    // What a shell reads on the way into the folder.
    ".envrc", ".mise", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml",
    // Programs and registries, which tools of building take from there.
    ".cargo", ".npmrc", ".pnpmfile.cjs", ".yarnrc", ".yarnrc.yml"};
// The ends of such names.
constexpr std::string_view kEnds[] = {".code-workspace"};
// A folder with this file is a git folder, whatever its name.
constexpr char kHead[] = "HEAD";

// The name in lower case, without ignored characters, and without dots and spaces at its end, which
// FAT and NTFS remove.
std::string Plain(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const std::string_view rest = name;
    if (IsUnseen(TakeCharacter(name))) continue;
    plain += rest.substr(0, rest.size() - name.size());
  }
  while (plain.ends_with('.') || plain.ends_with(' ')) plain.pop_back();
  return absl::AsciiStrToLower(plain);
}

// "git~1", the short name of ".git" on FAT and NTFS.
bool IsShortNameOfGit(std::string_view plain) {
  constexpr std::string_view kStart = "git~";
  return plain.starts_with(kStart) && plain.size() > kStart.size() &&
         plain.find_first_not_of("0123456789", kStart.size()) == plain.npos;
}

// "lefthook.yml" in all its forms: with a dot before, the word "-local", another format.
bool IsConfigOfLefthook(std::string_view plain) {
  if (plain.starts_with('.')) plain.remove_prefix(1);
  constexpr std::string_view kStart = "lefthook";
  if (!plain.starts_with(kStart)) return false;
  plain.remove_prefix(kStart.size());
  constexpr std::string_view kLocal = "-local";
  if (plain.starts_with(kLocal)) plain.remove_prefix(kLocal.size());
  constexpr std::string_view kFormats[] = {".yml", ".yaml", ".toml", ".json", ".jsonc"};
  return std::find(std::begin(kFormats), std::end(kFormats), plain) != std::end(kFormats);
}

// "mise.toml", also of an environment ("mise.dev.toml"), with or without a dot before.
bool IsConfigOfMise(std::string_view plain) {
  if (plain.starts_with('.')) plain.remove_prefix(1);
  return plain.starts_with("mise.") && plain.ends_with(".toml");
}

// "mise/config.toml" and ".config/mise": a folder of that name alone may be anything.
bool IsPlaceOfMise(std::string_view folder, std::string_view name) {
  if (Plain(name) == "mise") return Plain(folder) == ".config";
  const std::string plain = Plain(name);
  return Plain(folder) == "mise" &&
         (plain == "conf.d" || (plain.starts_with("config.") && plain.ends_with(".toml")));
}

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
  for (const std::string_view name : kNames) {
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
    if (!folder.ok() || EntryOf(*folder, kHead) != Entry::kNone ||
        LeadsTo(workspace, *folder, place, path, names_left)) {
      return true;
    }
  }
  return false;
}

bool HasNameOfCode(std::string_view path) {
  std::string_view former;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, slash);
    if (IsNameOfCode(name) || IsPlaceOfMise(former, name)) return true;
    former = name;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

}  // namespace

bool IsNameOfCode(std::string_view part) {
  const std::string plain = Plain(part);
  return IsShortNameOfGit(plain) || IsConfigOfLefthook(plain) || IsConfigOfMise(plain) ||
         std::find(std::begin(kNames), std::end(kNames), plain) != std::end(kNames) ||
         std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&plain](std::string_view end) { return plain.ends_with(end); });
}

bool RunsCode(const Workspace& workspace, std::string_view asked, const std::string& path) {
  const absl::StatusOr<std::string> asked_place = workspace.Locate(asked);
  if (HasNameOfCode(path) || !asked_place.ok() || HasNameOfCode(*asked_place)) return true;
  if (Plain(path.substr(path.rfind('/') + 1)) == Plain(kHead)) return true;
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
