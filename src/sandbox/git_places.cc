#include "sandbox/git_places.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/strings.h"
#include "base/text.h"
#include "sandbox/git_config.h"
#include "sandbox/path_order.h"
#include "sandbox/protected_names.h"

namespace cursorwire::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxGitEntries = 10'000;
constexpr size_t kMaxShownGitPath = 300;

// What runs code in a git folder, or leads to settings.
constexpr std::string_view kGitCode[] = {"config",          "config.worktree", "hooks",
                                         "info/attributes", "commondir",       "gitdir"};

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A path that stands in a file of `folder`.
std::string PathFrom(const std::string& folder, std::string_view text) {
  text = Trim(text);
  if (text.empty()) return "";
  return ResolvedPath(text.starts_with('/') ? std::string(text)
                                            : absl::StrCat(folder, "/", ToAbsl(text)));
}

void AddExisting(const std::string& path, std::vector<std::string>& paths) {
  if (std::string real = ResolvedPath(path); !real.empty()) paths.push_back(std::move(real));
}

absl::Status TooManyInGit(const std::string& folder) {
  return LocalError(
      absl::StatusCode::kResourceExhausted,
      absl::StrCat(ToAbsl(Printable(folder, kMaxShownGitPath)), " has more than ", kMaxGitEntries,
                   " submodules and worktrees: their settings cannot be protected"));
}

// The folders in a folder; links are not followed.
std::vector<std::string> FoldersIn(const std::string& folder, size_t& left) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && left > 0;
       entry.increment(error)) {
    --left;
    std::error_code unknown;
    if (entry->symlink_status(unknown).type() == fs::file_type::directory) {
      found.push_back(entry->path().string());
    }
  }
  return found;
}

bool Exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// What the settings take from the work tree: hooks, and more settings.
void AddNamedBySettings(const std::string& folder, GitPlaces& places) {
  const auto settings = ReadGitConfig(ReadShortFile(folder + "/config"));
  if (!settings) return;
  for (const GitSetting& one : *settings) {
    std::string_view value = one.value;
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    const bool is_hooks = one.section == "core" && one.key == "hookspath";
    const bool is_include =
        one.key == "path" && (one.section == "include" || one.section == "includeif");
    if (!is_hooks && !is_include) continue;
    const std::string path = PathFrom(is_hooks ? FolderOf(folder) : folder, value);
    if (!path.empty() && !IsAtOrBelow(folder, path)) places.protected_.push_back(path);
  }
}

void AddCode(const std::string& folder, GitPlaces& places) {
  for (const std::string_view name : kGitCode) {
    AddExisting(absl::StrCat(folder, "/", ToAbsl(name)), places.protected_);
  }
  AddNamedBySettings(folder, places);
}

// Git folders of submodules lie in "modules", by names that may have slashes.
void AddModules(const std::string& folder, size_t& left, GitPlaces& places) {
  std::vector<std::string> ahead = FoldersIn(folder + "/modules", left);
  while (!ahead.empty() && left > 0) {
    const std::string module = std::move(ahead.back());
    ahead.pop_back();
    const bool is_git = Exists(absl::StrCat(module, "/", kHead));
    if (is_git) AddCode(module, places);
    for (std::string& below : FoldersIn(is_git ? module + "/modules" : module, left)) {
      ahead.push_back(std::move(below));
    }
  }
}

// A worktree's own folder is `<common>/worktrees/NAME`, and its file "gitdir" names the file
// `.git`.
std::string CommonFolderOfWorktree(const std::string& folder, const std::string& file) {
  const std::string common = PathFrom(folder, ReadShortFile(folder + "/commondir"));
  if (common.empty() || FolderOf(folder) != common + "/worktrees") return "";
  return PathFrom(folder, ReadShortFile(folder + "/gitdir")) == file ? common : "";
}

// Its settings name the work tree.
bool IsOfSubmodule(const std::string& folder, const std::string& file) {
  const auto settings = ReadGitConfig(ReadShortFile(folder + "/config"));
  return settings && std::any_of(settings->begin(), settings->end(), [&](const GitSetting& one) {
           return one.section == "core" && one.key == "worktree" &&
                  PathFrom(folder, one.value) == FolderOf(file);
         });
}

}  // namespace

std::string ReadShortFile(const std::string& path, size_t max_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  std::string text(max_bytes, '\0');
  size_t size = 0;
  while (size < max_bytes) {
    const ssize_t bytes = ::read(file.get(), text.data() + size, max_bytes - size);
    if (bytes <= 0) break;
    size += static_cast<size_t>(bytes);
  }
  text.resize(size);
  return text;
}

std::string ResolvedPath(const std::string& path) {
  // realpath() asks for each part; most of what is looked for is not there.
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "";
  std::array<char, PATH_MAX> real{};
  return ::realpath(path.c_str(), real.data()) == nullptr ? "" : real.data();
}

absl::Status AddGitFolder(const std::string& folder, GitPlaces& places) {
  if (std::find(places.folders.begin(), places.folders.end(), folder) != places.folders.end()) {
    return absl::OkStatus();
  }
  places.folders.push_back(folder);
  AddCode(folder, places);
  size_t left = kMaxGitEntries;
  for (const std::string& worktree : FoldersIn(folder + "/worktrees", left)) {
    AddCode(worktree, places);
  }
  AddModules(folder, left, places);
  return left == 0 ? TooManyInGit(folder) : absl::OkStatus();
}

std::string FolderOfGitFile(std::string_view text, const std::string& file) {
  constexpr std::string_view kStart = "gitdir:";
  if (!text.starts_with(kStart)) return "";
  return PathFrom(FolderOf(file), text.substr(kStart.size()));
}

absl::Status AddGitFile(const std::string& file, const std::string& workspace, GitPlaces& places) {
  places.protected_.push_back(file);
  const std::string folder = FolderOfGitFile(ReadShortFile(file), file);
  if (folder.empty() || !Exists(absl::StrCat(folder, "/", kHead))) return absl::OkStatus();
  const std::string common = CommonFolderOfWorktree(folder, file);
  if (!common.empty()) {
    if (absl::Status added = AddGitFolder(common, places); !added.ok()) return added;
    return AddGitFolder(folder, places);
  }
  const bool is_ours = IsAtOrBelow(folder, workspace) && folder != workspace;
  return is_ours || IsOfSubmodule(folder, file) ? AddGitFolder(folder, places) : absl::OkStatus();
}

}  // namespace cursorwire::sandbox
