#include "sandbox/plan.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "sandbox/expected_mounts.h"
#include "sandbox/inode.h"
#include "sandbox/path_order.h"

namespace cursorwire::sandbox {
namespace {

constexpr char kInsideTmp[] = "/tmp";

// Sockets and helpers of the user's session, which act outside of the sandbox.
constexpr std::string_view kSessionVariables[] = {
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GIT_ASKPASS", "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DOCKER_HOST",
    "CONTAINER_HOST", "KUBECONFIG", "NOTIFY_SOCKET", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "PULSE_SERVER", "TMUX", "STY", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "BROWSER",
    // A folder that commands could not write to, or that holds programs which run later.
    "CARGO_TARGET_DIR"};

constexpr std::string_view kProxyVariables[] = {
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"};

// Those of HOME are read-only.
constexpr std::string_view kCaches[][2] = {{"XDG_CACHE_HOME", "cache"},
                                           {"npm_config_cache", "cache/npm"},
                                           {"PIP_CACHE_DIR", "cache/pip"},
                                           {"GOCACHE", "cache/go-build"},
                                           {"CCACHE_DIR", "cache/ccache"}};

using enum ExpectedMount::Kind;

// What may be changed, the outermost folders first.
std::vector<std::string> WritablePlaces(const SandboxPolicy& policy, const Places& places) {
  std::vector<std::string> writable = places.writable;
  if (policy.workspace == WorkspaceAccess::kWrite) writable.push_back(places.workspace);
  SortPaths(writable);
  return writable;
}

// What git_write opens.
std::vector<std::string> OpenGit(const SandboxPolicy& policy, const Places& places) {
  return policy.git_write ? places.git : std::vector<std::string>();
}

// What must be read-only within what may be changed; nothing within one of these.
std::vector<std::string> ClosedPlaces(const SandboxPolicy& policy, const Places& places) {
  std::vector<std::string> opened = WritablePlaces(policy, places);
  std::vector<std::string> closed;
  const auto add = [&](const std::string& path) {
    if (IsWithinAny(path, opened) && !IsWithinAny(path, closed)) closed.push_back(path);
  };
  if (!policy.git_write) std::for_each(places.git.begin(), places.git.end(), add);
  const std::vector<std::string> git = OpenGit(policy, places);
  opened.insert(opened.end(), git.begin(), git.end());
  std::for_each(places.protected_.begin(), places.protected_.end(), add);
  return closed;
}

class BwrapArguments {
 public:
  BwrapArguments(const SandboxPolicy& policy, const Places& places, const Support& support)
      : policy_(policy),
        places_(places),
        support_(support),
        writable_(WritablePlaces(policy, places)),
        git_(OpenGit(policy, places)),
        closed_(ClosedPlaces(policy, places)) {
    mounted_ = writable_;
    mounted_.push_back(places.workspace);
  }

  std::vector<std::string> Make() {
    AddNamespaces();
    AddSystem();
    AddHiddenWhere(false);
    Add({"--bind", places_.private_folder, kInsideTmp});
    AddReadableInTmp();
    AddPlaces();
    AddFoldersOfHidden(false);
    for (const std::string& path : git_) MountChecked("--bind", path);
    AddFoldersOfHidden(true);
    // What is read-only anyway needs no mount.
    for (const std::string& path : closed_) MountChecked("--ro-bind", path);
    AddHiddenWhere(true);
    if (!policy_.tmp_write) Add({"--remount-ro", kInsideTmp});
    return std::move(arguments_);
  }

  // After Make(): those that another command could mislead.
  std::vector<ExpectedMount> TakeExpected() {
    std::vector<ExpectedMount> mounts;
    for (auto& [path, mount] : expected_) mounts.push_back(std::move(mount));
    return mounts;
  }

 private:
  void Add(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) arguments_.emplace_back(word);
  }
  void Mount(std::string_view how, const std::string& path) { Add({how, path, path}); }
  void MountChecked(std::string_view how, const std::string& path) {
    Mount(how, path);
    Expect(path, kBind);
  }

  // A later mount covers those within it.
  void Expect(const std::string& path, ExpectedMount::Kind kind) {
    std::erase_if(expected_, [&path](const auto& mount) { return IsAtOrBelow(mount.first, path); });
    const auto inode = places_.inodes.find(path);
    expected_[path] = {.path = path,
                       .kind = kind,
                       .inode = inode == places_.inodes.end() ? Inode() : inode->second,
                       .folder_is_mount = kind != kBind && expected_.contains(FolderOfPath(path))};
  }

  void AddNamespaces() {
    Add({"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"});
    if (!policy_.network) Add({"--unshare-net"});
    Add({"--die-with-parent", "--new-session", "--cap-drop", "ALL"});
    if (support_.disables_userns) Add({"--disable-userns"});
  }

  // Files of /proc that are not of a process belong to the machine: root could change it.
  void AddSystem() {
    Add({"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"});
    Mount("--ro-bind", "/proc/sys");
    for (const char* path : {"/proc/sysrq-trigger", "/proc/irq", "/proc/bus"}) {
      Mount("--ro-bind-try", path);
    }
  }

  // A mount of the workspace would bring back what was hidden in it before.
  void AddHiddenWhere(bool in_places) {
    const auto is_meant = [&](const std::string& path) {
      return (IsWithinAny(path, mounted_) || IsWithinAny(path, git_)) == in_places;
    };
    for (const std::string& folder : places_.hidden_folders) {
      if (!is_meant(folder)) continue;
      Add({"--perms", "0555", "--tmpfs", folder});
      if (in_places) Expect(folder, kEmptyFolder);
      for (const std::string& path : places_.readable) {
        if (!IsAtOrBelow(path, folder)) continue;
        Mount("--ro-bind", path);
        if (in_places) Expect(path, kBind);
      }
      // A place that may be changed and lies within is mounted later: its folders must be made.
      if (HoldsAPlace(folder)) {
        closed_later_.push_back(folder);
      } else {
        Add({"--remount-ro", folder});
      }
    }
    // A device cannot be opened there, whoever asks: mounts of the sandbox have no devices.
    for (const std::string& file : places_.hidden_files) {
      if (!is_meant(file) || IsReadable(file)) continue;
      Add({"--ro-bind", "/dev/null", file});
      if (in_places) Expect(file, kEmptyFile);
    }
  }

  bool IsReadable(const std::string& file) const {
    return std::find(places_.readable.begin(), places_.readable.end(), file) !=
           places_.readable.end();
  }
  bool HoldsAPlace(const std::string& folder) const {
    return std::any_of(mounted_.begin(), mounted_.end(), [&folder](const std::string& place) {
      return place != folder && IsAtOrBelow(place, folder);
    });
  }

  void AddPlaces() {
    const bool writes = policy_.workspace == WorkspaceAccess::kWrite;
    MountChecked(writes ? "--bind" : "--ro-bind", places_.workspace);
    for (const std::string& path : places_.writable) {
      if (writes && IsAtOrBelow(path, places_.workspace)) continue;
      MountChecked("--bind", path);
    }
    for (const std::string& folder : closed_later_) Add({"--remount-ro", folder});
  }

  // A folder that leads to something hidden could be renamed, and the next command would look for
  // that in vain; a mount cannot. So each is mounted onto itself, the outermost first. `in_git`:
  // those in git folders that may be changed, the others else.
  void AddFoldersOfHidden(bool in_git) {
    std::vector<std::string> folders;
    for (const auto* hidden : {&places_.hidden_folders, &places_.hidden_files}) {
      for (const std::string& path : *hidden) AddFoldersOf(path, folders);
    }
    SortPaths(folders);
    for (const std::string& folder : folders) {
      if (IsWithinAny(folder, git_) == in_git && !expected_.contains(folder)) {
        MountChecked("--bind", folder);
      }
    }
  }

  // In what may be changed; nothing if that is not hidden there.
  void AddFoldersOf(const std::string& path, std::vector<std::string>& folders) const {
    const bool is_readable = IsReadable(path);
    for (std::string folder = FolderOfPath(path); !is_readable; folder = FolderOfPath(folder)) {
      if (!IsWithinAny(folder, writable_) && !IsWithinAny(folder, git_)) return;
      if (!IsWithinAny(folder, closed_)) folders.push_back(folder);
    }
  }

  void AddReadableInTmp() {
    for (const std::string& path : places_.readable) {
      if (IsAtOrBelow(path, kInsideTmp) && !IsWithinAny(path, mounted_) &&
          !IsWithinAny(path, places_.hidden_folders)) {
        Mount("--ro-bind", path);
      }
    }
  }

  const SandboxPolicy& policy_;
  const Places& places_;
  const Support& support_;
  const std::vector<std::string> writable_;
  const std::vector<std::string> git_;     // that may be changed
  const std::vector<std::string> closed_;  // read-only within these
  std::vector<std::string> mounted_;       // by AddPlaces()
  std::vector<std::string> closed_later_;  // hidden folders that hold one of these
  std::map<std::string, ExpectedMount> expected_;
  std::vector<std::string> arguments_;
};

void MakeBwrapArguments(const SandboxPolicy& policy, const Places& places, const Support& support,
                        Plan& plan) {
  BwrapArguments arguments(policy, places, support);
  plan.bwrap_arguments = arguments.Make();
  const auto inode = places.inodes.find(places.private_folder);
  plan.mounts = {.private_folder = places.private_folder,
                 .private_inode = inode == places.inodes.end() ? Inode() : inode->second,
                 .within = arguments.TakeExpected()};
}

bool ProtectsWithinWritable(const SandboxPolicy& policy, const Places& places) {
  const std::vector<std::string> writable = WritablePlaces(policy, places);
  const auto is_open = [&](const std::string& path) { return IsWithinAny(path, writable); };
  return std::any_of(places.protected_.begin(), places.protected_.end(), is_open) ||
         (!policy.git_write && std::any_of(places.git.begin(), places.git.end(), is_open));
}

absl::Status CheckPartial(const SandboxPolicy& policy, const Places& places) {
  const bool hides = !places.hidden_files.empty() || !places.hidden_folders.empty();
  const bool protects = ProtectsWithinWritable(policy, places);
  if (!hides && !protects) return absl::OkStatus();
  return LocalError(
      absl::StatusCode::kUnimplemented,
      absl::StrCat("this machine has only a part of the sandbox (Landlock), which cannot ",
                   hides ? "hide credentials and ignored files" : "",
                   hides && protects ? ", nor " : "",
                   protects ? "keep .git and other files that run code read-only" : "",
                   ": allow the partial sandbox, or run the command without one"));
}

std::vector<LandlockGrant> GrantsOf(const SandboxPolicy& policy, const Places& places) {
  std::vector<LandlockGrant> grants = {{.path = "/", .write = false}};
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
                             "/dev/tty", "/dev/ptmx", "/dev/pts"}) {
    grants.push_back({.path = device, .write = true});
  }
  std::vector<std::string> writable = WritablePlaces(policy, places);
  if (policy.tmp_write) writable.push_back(places.private_folder);
  if (policy.git_write) writable.insert(writable.end(), places.git.begin(), places.git.end());
  for (std::string& path : writable) grants.push_back({.path = std::move(path), .write = true});
  return grants;
}

void SetEnvironment(const SandboxPolicy& policy, const std::string& temporary, Plan& plan) {
  plan.environment.push_back("TMPDIR=" + temporary);
  if (policy.tmp_write) {
    for (const auto& [name, folder] : kCaches) {
      plan.environment.push_back(absl::StrCat(ToAbsl(name), "=", temporary, "/", ToAbsl(folder)));
    }
  }
  // `git status` would write the index.
  if (!policy.git_write) plan.environment.emplace_back("GIT_OPTIONAL_LOCKS=0");
  for (const std::string_view name : kSessionVariables) plan.removed_variables.emplace_back(name);
  if (policy.network) return;
  for (const std::string_view name : kProxyVariables) plan.removed_variables.emplace_back(name);
}

absl::Status NoBackend(const Support& support) {
  return LocalError(absl::StatusCode::kUnimplemented,
                    absl::StrCat("commands cannot be sandboxed on this machine",
                                 support.why_not.empty() ? "" : ": ", support.why_not));
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const SandboxPolicy& policy, const Places& places,
                              const Support& support, bool allow_partial) {
  Plan plan{.backend = support.backend};
  switch (support.backend) {
    case Backend::kNone:
      return NoBackend(support);
    case Backend::kPartial:
      if (absl::Status checked = CheckPartial(policy, places); !checked.ok() && !allow_partial) {
        return checked;
      }
      plan.grants = GrantsOf(policy, places);
      SetEnvironment(policy, places.private_folder, plan);
      return plan;
    case Backend::kFull:
      MakeBwrapArguments(policy, places, support, plan);
      SetEnvironment(policy, kInsideTmp, plan);
      return plan;
  }
  return NoBackend(support);
}

}  // namespace cursorwire::sandbox
