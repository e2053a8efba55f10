#include "sandbox/places.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/strings.h"
#include "sandbox/git_places.h"
#include "sandbox/name_walk.h"
#include "sandbox/path_order.h"
#include "sandbox/protected_names.h"
#include "sandbox/secret_places.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxHiddenByPolicy = 1'000;
constexpr size_t kMaxProtected = 1'000;
constexpr size_t kMaxShownPlace = 300;
constexpr char kTmp[] = "/tmp";

std::string ShownPlace(std::string_view path) { return Printable(path, kMaxShownPlace); }

absl::Status Refusal(std::string_view what, std::string_view path, std::string_view why) {
  return InvalidArgument(absl::StrCat(ToAbsl(what), " '", ShownPlace(path), "' ", ToAbsl(why)));
}

bool IsFolder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsThere(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

class PlacesSearch {
 public:
  PlacesSearch(const PlacesOptions& options, const SandboxPolicy& policy)
      : options_(options), policy_(policy), home_(HomeOf(options.environment)) {}

  absl::StatusOr<Places> Find() {
    absl::Status status = CheckWorkspace();
    if (status.ok()) status = AddSecrets();
    if (status.ok()) status = AddHiddenByPolicy();
    if (status.ok()) status = AddWritable();
    // Before the walk, which takes its time.
    if (status.ok()) NoteAll({&places_.hidden_files, &places_.hidden_folders});
    if (status.ok()) status = AddNames();
    if (status.ok()) NoteAll({&places_.git, &places_.protected_});
    if (status.ok()) AddStartFiles();
    if (status.ok()) AddCodeFiles();
    if (status.ok()) status = Tidy();
    if (!status.ok()) return status;
    return std::move(places_);
  }

 private:
  absl::Status CheckWorkspace();
  absl::Status AddSecrets();
  absl::Status AddHiddenByPolicy();
  absl::Status AddWritable();
  absl::Status CheckWritable(const std::string& path, const std::string& real) const;
  absl::Status AddNames();
  absl::Status Walk(const std::string& root);
  absl::Status Take(const SeenName& seen);
  absl::Status TakeLink(const SeenName& seen);
  absl::Status TakeGit(const std::string& path, const struct stat& info);
  void AddStartFiles();
  void AddCodeFiles();
  void AddReadable();
  absl::Status Tidy();
  // Notes what is there now, once for each path.
  void Note(const std::string& path);
  void Note(const std::string& path, const struct stat& info) {
    places_.inodes.emplace(path, InodeOf(info));
  }
  void NoteAll(std::initializer_list<const std::vector<std::string>*> lists);

  bool MayBeChanged(const std::string& path) const {
    return (policy_.workspace == WorkspaceAccess::kWrite && IsAtOrBelow(path, places_.workspace)) ||
           IsWithinAny(path, places_.writable);
  }
  bool IsInAPlace(const std::string& path) const {
    return IsAtOrBelow(path, places_.workspace) || IsWithinAny(path, places_.writable);
  }
  // Protects it, or notes that it is not there.
  void AddCode(const std::string& path);

  const PlacesOptions& options_;
  const SandboxPolicy& policy_;
  const std::string home_;
  const FileDescriptor root_{::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  Places places_;
  GitPlaces git_;
};

void PlacesSearch::Note(const std::string& path) {
  OpenUnlinked(root_.get(), path,
               [this](const std::string& part, const struct stat& info) { Note(part, info); });
}

void PlacesSearch::NoteAll(std::initializer_list<const std::vector<std::string>*> lists) {
  for (const std::vector<std::string>* paths : lists) {
    for (const std::string& path : *paths) Note(path);
  }
}

absl::Status PlacesSearch::CheckWorkspace() {
  places_.workspace = options_.workspace;
  places_.private_folder = options_.private_folder;
  places_.workspace_is_read_only = policy_.workspace == WorkspaceAccess::kRead;
  if (!options_.workspace.starts_with('/') || options_.workspace == "/") {
    return Refusal("the workspace", options_.workspace,
                   "cannot be sandboxed: give the absolute path of a folder below '/'");
  }
  if (!IsFolder(options_.workspace)) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("the workspace '", ShownPlace(options_.workspace),
                                   "' is no folder, or has been removed"));
  }
  Note(places_.workspace);
  Note(places_.private_folder);
  return absl::OkStatus();
}

absl::Status PlacesSearch::AddSecrets() {
  absl::StatusOr<SecretPlaces> secrets = FindSecrets(options_.environment);
  if (!secrets.ok()) return secrets.status();
  places_.hidden_files = std::move(secrets->files);
  // XDG_RUNTIME_DIR of a strange environment: to hide the workspace would stop everything.
  for (std::string& folder : secrets->folders) {
    if (folder != places_.workspace && folder != home_) {
      places_.hidden_folders.push_back(std::move(folder));
    }
  }
  places_.readable = std::move(secrets->readable);
  return absl::OkStatus();
}

absl::Status PlacesSearch::AddHiddenByPolicy() {
  if (policy_.hidden.size() > kMaxHiddenByPolicy) {
    return LocalError(
        absl::StatusCode::kResourceExhausted,
        absl::StrCat(policy_.hidden.size(), " paths are to be hidden, and ", kMaxHiddenByPolicy,
                     " can be: hide folders in place of the files in them"));
  }
  SecretPlaces hidden;
  for (const std::string& path : policy_.hidden) {
    if (!path.starts_with('/')) return Refusal("to be hidden:", path, "is not an absolute path");
    const std::string real = ResolvedPath(path);
    if (!real.empty() && IsAtOrBelow(places_.workspace, real)) {
      return Refusal("to be hidden:", path, "is the workspace, or a folder above it");
    }
    AddHidden(path, hidden);
  }
  std::move(hidden.files.begin(), hidden.files.end(), std::back_inserter(places_.hidden_files));
  std::move(hidden.folders.begin(), hidden.folders.end(),
            std::back_inserter(places_.hidden_folders));
  return absl::OkStatus();
}

absl::Status PlacesSearch::AddWritable() {
  for (const std::string& path : policy_.writable) {
    if (!path.starts_with('/')) return Refusal("may be changed:", path, "is not an absolute path");
    const std::string real = ResolvedPath(path);
    if (real.empty() || real == kTmp) continue;  // /tmp is the session's own
    if (absl::Status checked = CheckWritable(path, real); !checked.ok()) return checked;
    places_.writable.push_back(real);
    Note(real);
  }
  SortPaths(places_.writable);
  return absl::OkStatus();
}

absl::Status PlacesSearch::CheckWritable(const std::string& path, const std::string& real) const {
  constexpr std::string_view kWhat = "may be changed:";
  constexpr std::string_view kOfTheKernel[] = {"/proc", "/sys", "/dev"};
  for (const std::string_view folder : kOfTheKernel) {
    if (IsAtOrBelow(real, folder)) return Refusal(kWhat, path, "is the kernel's");
  }
  // In what a command may change, it can put a link in the place of a folder.
  std::vector<std::string> around = policy_.writable;
  around.push_back(places_.workspace);
  for (const std::string& place : around) {
    if (path == place || !IsAtOrBelow(path, place)) continue;
    if (IsAtOrBelow(real, ResolvedPath(place))) continue;
    return Refusal(kWhat, path,
                   absl::StrCat("leads out of '", ShownPlace(place),
                                "' by a symbolic link: name the folder that is meant"));
  }
  const bool is_workspace = real == places_.workspace;
  if (is_workspace && policy_.workspace == WorkspaceAccess::kRead) {
    return Refusal(kWhat, path, "is the workspace, which is to be read-only");
  }
  if (!is_workspace && IsAtOrBelow(places_.workspace, real)) {
    return Refusal(kWhat, path, "is a folder above the workspace: name the folders that are meant");
  }
  if (!is_workspace && !home_.empty() && IsAtOrBelow(home_, real)) {
    return Refusal(kWhat, path, "holds the home folder: name the folders in it that are meant");
  }
  if (is_workspace || IsAtOrBelow(real, places_.workspace)) return absl::OkStatus();
  for (const auto* hidden : {&places_.hidden_files, &places_.hidden_folders}) {
    for (const std::string& secret : *hidden) {
      if (!IsAtOrBelow(secret, real) && !IsAtOrBelow(real, secret)) continue;
      return Refusal(kWhat, path,
                     absl::StrCat("is or holds what is hidden, '", ShownPlace(secret), "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status PlacesSearch::AddNames() {
  const bool is_all_read_only = policy_.workspace == WorkspaceAccess::kRead && !policy_.git_write;
  if (!is_all_read_only) {
    if (absl::Status walked = Walk(places_.workspace); !walked.ok()) return walked;
  }
  for (const std::string& folder : places_.writable) {
    const bool is_below = folder != places_.workspace && IsAtOrBelow(folder, places_.workspace);
    if (is_below && HasProtectedName(folder.substr(places_.workspace.size() + 1))) {
      places_.protected_.push_back(folder);
    }
    const bool is_walked = !is_all_read_only && IsAtOrBelow(folder, places_.workspace);
    if (is_walked || !IsFolder(folder)) continue;
    if (absl::Status walked = Walk(folder); !walked.ok()) return walked;
  }
  places_.git = std::move(git_.folders);
  for (std::string& path : git_.protected_) {
    // The hooks of a git folder may lie elsewhere.
    if (IsInAPlace(path) || IsWithinAny(path, places_.git)) {
      places_.protected_.push_back(std::move(path));
    }
  }
  return absl::OkStatus();
}

absl::Status PlacesSearch::Walk(const std::string& root) {
  absl::Status status;
  const WalkStop stop =
      WalkNames(root, {.passed_by = places_.hidden_folders}, [&](const SeenName& seen) {
        if (status.ok()) status = Take(seen);
      });
  if (!status.ok() || stop == WalkStop::kNothing) return status;
  return LocalError(
      absl::StatusCode::kResourceExhausted,
      absl::StrCat("'", ShownPlace(root), "' has ",
                   stop == WalkStop::kTooMany ? "too many files and folders (200000 are looked at)"
                                              : "folders that are nested too deeply (100 levels)",
                   ": what runs code in it cannot all be found and protected; open a smaller "
                   "folder, or hide the large ones"));
}

absl::Status PlacesSearch::Take(const SeenName& seen) {
  const std::string path = seen.path();
  Note(path, seen.info);
  switch (seen.kind) {
    case SeenName::Kind::kGitFolder:
      return AddGitFolder(path, git_);
    case SeenName::Kind::kUnreadable:
      // Nobody knows what is in it, and who may not read it can still be allowed to change it.
      if (path != places_.workspace) places_.protected_.push_back(path);
      return absl::OkStatus();
    case SeenName::Kind::kProtected:
      break;
  }
  if (S_ISLNK(seen.info.st_mode)) return TakeLink(seen);
  if (IsNameOfGit(seen.name)) return TakeGit(path, seen.info);
  places_.protected_.push_back(path);
  return absl::OkStatus();
}

// The link itself cannot be held: whoever may change its folder can put another in its place. That
// is found afterwards; but the workspace's own repository is not left to that.
absl::Status PlacesSearch::TakeLink(const SeenName& seen) {
  const std::string path = seen.path();
  const bool is_git = IsNameOfGit(seen.name);
  if (is_git && seen.folder_path == places_.workspace && MayBeChanged(path)) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("'", ShownPlace(path),
                                   "' is a symbolic link, which a command could replace: put a "
                                   "file '.git' with a line 'gitdir: PATH' in its place"));
  }
  const std::string target = ResolvedPath(path);
  if (target.empty()) return absl::OkStatus();
  if (IsAtOrBelow(places_.workspace, target)) {
    if (!MayBeChanged(places_.workspace)) return absl::OkStatus();
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("'", ShownPlace(path),
                                   "' is a symbolic link to the workspace, "
                                   "so that all of it would have to be protected: remove it"));
  }
  struct stat info {};
  if (is_git && IsAtOrBelow(target, places_.workspace) && ::stat(target.c_str(), &info) == 0) {
    return TakeGit(target, info);
  }
  if (IsInAPlace(target)) places_.protected_.push_back(target);
  return absl::OkStatus();
}

absl::Status PlacesSearch::TakeGit(const std::string& path, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return AddGitFolder(path, git_);
  if (S_ISREG(info.st_mode)) return AddGitFile(path, places_.workspace, git_);
  places_.protected_.push_back(path);
  return absl::OkStatus();
}

void PlacesSearch::AddCode(const std::string& path) {
  const std::string real = ResolvedPath(path);
  if (!real.empty()) {
    const bool is_above = IsAtOrBelow(places_.workspace, real);
    if (MayBeChanged(real) && !is_above) places_.protected_.push_back(real);
    return;
  }
  if (MayBeChanged(path) && !IsThere(path)) places_.absent.push_back(path);
}

// Of a workspace that is HOME or above it, or of a folder of HOME's that may be changed.
void PlacesSearch::AddStartFiles() {
  if (home_.empty()) return;
  for (const std::string_view name : StartFiles()) {
    const std::string path = absl::StrCat(home_, "/", ToAbsl(name));
    // Who names a start file itself wants it so.
    const auto& named = places_.writable;
    if (std::find(named.begin(), named.end(), path) == named.end()) AddCode(path);
  }
  if (!IsAtOrBelow(home_, places_.workspace)) return;
  std::string path = ValueOf(options_.environment, "PATH");
  for (std::string_view rest = path; !rest.empty();) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    if (folder.starts_with('/') && folder != home_ && IsAtOrBelow(folder, home_)) AddCode(folder);
  }
}

void PlacesSearch::AddCodeFiles() {
  for (const std::string& file : options_.code_files) {
    if (file.starts_with('/')) AddCode(file);
  }
}

// Only what cannot be seen otherwise needs a mount.
void PlacesSearch::AddReadable() {
  std::vector<std::string> wanted = std::move(places_.readable);
  places_.readable.clear();
  for (const std::string& path : options_.readable) wanted.push_back(ResolvedPath(path));
  for (std::string& path : wanted) {
    if (path.empty()) continue;
    const bool is_hidden = IsWithinAny(path, places_.hidden_folders) ||
                           IsWithinAny(path, places_.hidden_files) ||
                           (IsAtOrBelow(path, kTmp) && !IsInAPlace(path));
    if (is_hidden) places_.readable.push_back(std::move(path));
  }
  SortPaths(places_.readable);
}

absl::Status PlacesSearch::Tidy() {
  AddReadable();
  NoteAll({&places_.protected_, &places_.readable});
  const auto is_gone = [this](const std::string& path) {  // with the /tmp of the machine
    return IsAtOrBelow(path, kTmp) && !IsInAPlace(path);
  };
  std::erase_if(places_.hidden_folders, is_gone);
  SortPaths(places_.hidden_folders);
  std::vector<std::string> outermost;
  for (std::string& folder : places_.hidden_folders) {
    if (!IsWithinAny(folder, outermost)) outermost.push_back(std::move(folder));
  }
  places_.hidden_folders = std::move(outermost);
  std::erase_if(places_.hidden_files, [&](const std::string& path) {
    return is_gone(path) || IsWithinAny(path, places_.hidden_folders);
  });
  SortPaths(places_.hidden_files);
  SortPaths(places_.git);
  SortPaths(places_.protected_);
  SortPaths(places_.absent);
  if (places_.protected_.size() + places_.git.size() <= kMaxProtected) return absl::OkStatus();
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat(places_.protected_.size() + places_.git.size(),
                                 " files and folders of the workspace run code, and ",
                                 kMaxProtected, " can be protected: open a smaller folder"));
}

}  // namespace

absl::StatusOr<Places> FindPlaces(const PlacesOptions& options, const SandboxPolicy& policy) {
  return PlacesSearch(options, policy).Find();
}

}  // namespace cursorwire::sandbox
