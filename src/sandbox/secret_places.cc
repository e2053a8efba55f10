#include "sandbox/secret_places.h"

#include <absl/strings/str_cat.h>
#include <dirent.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "base/text.h"
#include "sandbox/git_places.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxRunEntries = 50'000;
constexpr int kMaxRunDepth = 3;

// Relative to HOME. Without .npmrc and its like: npm does nothing where it cannot read them.
constexpr std::string_view kHomeSecrets[] = {
    // Keys and passwords
    ".ssh", ".gnupg", ".password-store", ".netrc", "_netrc", ".git-credentials", ".pgpass",
    ".my.cnf", ".mylogin.cnf", ".pypirc", ".gem/credentials", ".cargo/credentials",
    ".cargo/credentials.toml", ".m2/settings-security.xml", ".vault-token",
    ".terraform.d/credentials.tfrc.json", ".s3cfg", ".boto", ".databrickscfg", ".authinfo",
    ".authinfo.gpg", ".huggingface/token", ".cache/huggingface/token", ".kaggle",
    ".lein/credentials.clj.gpg", ".pki", ".1password", ".electrum", ".bitcoin",
    // Clouds and clusters
    ".aws", ".azure", ".kube", ".oci", ".aliyun", ".docker/config.json", ".docker/run",
    ".docker/desktop", ".docker/contexts", ".colima", ".rd", ".minikube", ".fly", ".dbus",
    // Agents
    ".cursor/auth.json", ".cursor/cli-config.json", ".claude.json", ".claude/.credentials.json",
    ".codex/auth.json", ".gemini/oauth_creds.json", ".qwen/oauth_creds.json",
    // Browsers and mail
    ".mozilla", ".thunderbird", ".librewolf", ".zen", ".var/app", "snap/firefox", "snap/chromium",
    ".cache/mozilla", ".cache/google-chrome", ".cache/chromium",
    // What was typed
    ".bash_history", ".zsh_history", ".zhistory", ".sh_history", ".ash_history", ".histfile",
    ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history",
    ".rediscli_history", ".irb_history", ".lesshst", ".viminfo"};

// Relative to XDG_CONFIG_HOME, which is ~/.config.
constexpr std::string_view kConfigSecrets[] = {"cursorwire",
                                               "cursor/auth.json",
                                               "Cursor",
                                               "gcloud",
                                               "gh",
                                               "glab-cli",
                                               "hub",
                                               "op",
                                               "doctl",
                                               "heroku",
                                               "netlify",
                                               "vercel",
                                               "git/credentials",
                                               "containers/auth.json",
                                               "helm/registry",
                                               "rclone",
                                               "sops",
                                               "age",
                                               "github-copilot",
                                               "configstore",
                                               "google-chrome",
                                               "google-chrome-beta",
                                               "chromium",
                                               "BraveSoftware",
                                               "microsoft-edge",
                                               "vivaldi",
                                               "opera",
                                               "Bitwarden",
                                               "1Password",
                                               "keepassxc",
                                               "Signal",
                                               "Slack",
                                               "discord",
                                               "Code/User/globalStorage",
                                               "Code/Cookies"};

// Relative to XDG_DATA_HOME, which is ~/.local/share.
constexpr std::string_view kDataSecrets[] = {
    "keyrings",           "kwalletd", "containers/auth.json", "fish/fish_history",
    "opencode/auth.json", "pki",      "com.vercel.cli",       "TelegramDesktop"};

// Relative to XDG_STATE_HOME, which is ~/.local/state.
constexpr std::string_view kStateSecrets[] = {"cursorwire", "bash/history", "zsh/history",
                                              "python_history"};

// Of hidden folders: what ssh needs to know a host, which is no secret.
constexpr std::string_view kHomeReadable[] = {".ssh/known_hosts", ".ssh/known_hosts2"};

constexpr std::string_view kStartFiles[] = {
    // Shells
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".zsh", ".oh-my-zsh", ".kshrc",
    ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".config/fish", ".config/zsh",
    ".config/bash", ".config/nushell", ".pam_environment",
    // Desktops
    ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".Xresources", ".config/autostart",
    ".config/autostart-scripts", ".config/plasma-workspace", ".config/systemd",
    ".config/environment.d", ".local/share/systemd", ".local/share/applications",
    ".local/share/dbus-1",
    // Programs that are found by PATH
    ".local/bin", "bin", ".cargo/bin", "go/bin", ".npm-global/bin", ".bun/bin", ".deno/bin",
    ".pyenv", ".rbenv", ".nvm", ".asdf", ".volta", ".sdkman", ".rustup",
    // Programs with settings that run others
    ".ssh", ".gnupg", ".gitconfig", ".config/git", ".hgrc", ".config/hg", ".tmux.conf",
    ".config/tmux", ".screenrc", ".vimrc", ".vim", ".config/nvim", ".emacs", ".emacs.d",
    ".config/emacs", ".gdbinit", ".lldbinit", ".config/gdb", ".ripgreprc", ".lesskey",
    ".lessfilter", ".curlrc", ".wgetrc", ".npmrc", ".config/pip", ".pip", ".pydistutils.cfg",
    ".pythonrc", ".condarc", ".gradle", ".m2", ".config/direnv", ".config/Code/User",
    ".config/Cursor/User", ".vscode-server", ".cursor-server", ".config/cursorwire",
    ".config/cursor", ".config/opencode", ".config/crush", ".config/goose", ".config/zed",
    ".config/helix", ".config/kitty", ".config/alacritty", ".config/i3", ".config/sway",
    ".config/hypr"};

// Variables that name a socket: its path, "unix:path=PATH,guid=...", "unix:///PATH", "PATH:0:1".
constexpr std::string_view kSocketVariables[] = {"SSH_AUTH_SOCK",
                                                 "DOCKER_HOST",
                                                 "CONTAINER_HOST",
                                                 "DBUS_SESSION_BUS_ADDRESS",
                                                 "DBUS_SYSTEM_BUS_ADDRESS",
                                                 "GPG_AGENT_INFO",
                                                 "NOTIFY_SOCKET",
                                                 "TMUX",
                                                 "VSCODE_IPC_HOOK_CLI",
                                                 "VSCODE_GIT_IPC_HANDLE",
                                                 "XAUTHORITY",
                                                 "KUBECONFIG",
                                                 "PULSE_SERVER"};

// The first absolute path in it.
std::string PathIn(std::string_view value) {
  const size_t url = value.find("://");
  if (url != value.npos && !value.starts_with("unix://")) return "";  // another machine's
  const size_t start = value.find('/', url == value.npos ? 0 : url + 3);
  if (start == value.npos) return "";
  value.remove_prefix(start);
  return PercentDecode(value.substr(0, value.find_first_of(",;:")));
}

std::string FolderOfVariable(const std::vector<std::string>& environment, std::string_view name,
                             const std::string& home, std::string_view otherwise) {
  std::string folder = ValueOf(environment, name);
  if (folder.starts_with('/')) return folder;
  return home.empty() ? "" : absl::StrCat(home, "/", ToAbsl(otherwise));
}

template <size_t N>
void AddAll(const std::string& folder, const std::string_view (&names)[N], SecretPlaces& places) {
  if (folder.empty()) return;
  for (const std::string_view name : names) {
    AddHidden(absl::StrCat(folder, "/", ToAbsl(name)), places);
  }
}

void AddReadable(const std::string& home, SecretPlaces& places) {
  if (home.empty()) return;
  for (const std::string_view name : kHomeReadable) {
    const std::string real = ResolvedPath(absl::StrCat(home, "/", ToAbsl(name)));
    if (!real.empty()) places.readable.push_back(real);
  }
}

void AddNamedByVariables(const std::vector<std::string>& environment, SecretPlaces& places) {
  for (const std::string_view variable : kSocketVariables) {
    const std::string path = PathIn(ValueOf(environment, variable));
    struct stat info {};
    // Sockets and files: a folder here would be a mistake of the user's.
    if (::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) AddHidden(path, places);
  }
  if (const std::string folder = ValueOf(environment, "XDG_RUNTIME_DIR"); folder.size() > 1) {
    AddHidden(folder, places);
  }
}

struct CloseRunDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// Below /run: sockets, and folders that can be entered but not listed.
class SocketWalk {
 public:
  explicit SocketWalk(SecretPlaces& places) : places_(places) {}

  bool ended() const { return entries_left_ > 0; }

  void Enter(const std::string& folder, int depth) {
    const std::unique_ptr<DIR, CloseRunDir> dir(::opendir(folder.c_str()));
    if (dir == nullptr) {
      if (errno == EACCES && ::access(folder.c_str(), X_OK) == 0) AddHidden(folder, places_);
      return;
    }
    // Safe as long as two threads do not read the same stream.
    while (const dirent* entry = ::readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
      if (entries_left_ == 0) return;
      --entries_left_;
      Look(folder, entry->d_name, depth);
    }
  }

 private:
  void Look(const std::string& folder, const std::string& name, int depth) {
    // What is mounted below "media" is the user's; "udev/data" has thousands of plain files.
    if (name == "." || name == ".." || name == "media" || name == "data") return;
    const std::string path = folder + "/" + name;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return;
    if (S_ISSOCK(info.st_mode)) AddHidden(path, places_);
    if (!S_ISDIR(info.st_mode)) return;
    const bool is_secret =
        depth == 0 && (name == "dbus" || name == "user" || name == "secrets" ||
                       name == "credentials" || name == "docker" || name == "containerd");
    if (is_secret) return AddHidden(path, places_);
    if (depth < kMaxRunDepth) Enter(path, depth + 1);
  }

  SecretPlaces& places_;
  size_t entries_left_ = kMaxRunEntries;
};

}  // namespace

std::string ValueOf(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view variable : environment) {
    if (variable.size() > name.size() && variable.starts_with(name) &&
        variable[name.size()] == '=') {
      return std::string(variable.substr(name.size() + 1));
    }
  }
  return "";
}

std::string HomeOf(const std::vector<std::string>& environment) {
  const std::string home = ValueOf(environment, "HOME");
  if (home.starts_with('/')) return ResolvedPath(home);
  std::array<char, 16'384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return "";
  return found == nullptr ? "" : ResolvedPath(found->pw_dir);
}

void AddHidden(const std::string& path, SecretPlaces& places) {
  const std::string real = ResolvedPath(path);
  struct stat info {};
  if (real.empty() || real == "/" || ::stat(real.c_str(), &info) != 0) return;
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
    return;  // such as /dev/null, which is no secret
  (S_ISDIR(info.st_mode) ? places.folders : places.files).push_back(real);
}

absl::StatusOr<SecretPlaces> FindSecrets(const std::vector<std::string>& environment,
                                         const std::string& run) {
  SecretPlaces places;
  const std::string home = HomeOf(environment);
  AddAll(home, kHomeSecrets, places);
  if (!home.empty()) AddAll(home + "/.config", kConfigSecrets, places);
  const std::string config = ValueOf(environment, "XDG_CONFIG_HOME");
  if (config.starts_with('/')) AddAll(config, kConfigSecrets, places);
  AddAll(FolderOfVariable(environment, "XDG_DATA_HOME", home, ".local/share"), kDataSecrets,
         places);
  AddAll(FolderOfVariable(environment, "XDG_STATE_HOME", home, ".local/state"), kStateSecrets,
         places);
  AddReadable(home, places);
  AddNamedByVariables(environment, places);
  SocketWalk walk(places);
  walk.Enter(run, 0);
  if (run == "/run" && ResolvedPath("/var/run") == "/var/run") walk.Enter("/var/run", 0);
  if (walk.ended()) return places;
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat(run, " has more than ", kMaxRunEntries,
                                 " entries: the sockets in it cannot all be hidden"));
}

std::vector<std::string_view> StartFiles() {
  return {std::begin(kStartFiles), std::end(kStartFiles)};
}

}  // namespace cursorwire::sandbox
