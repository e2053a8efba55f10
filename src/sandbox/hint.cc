#include "sandbox/hint.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxHintBytes = 16'384;

// In lower case, as are the lines that they are looked for in.
constexpr std::string_view kNetworkWords[] = {"could not resolve",
                                              "temporary failure in name resolution",
                                              "network is unreachable",
                                              "name or service not known",
                                              "no address associated with hostname",
                                              "eai_again",
                                              "enetunreach",
                                              "enotfound",
                                              "failed to lookup address",
                                              "server misbehaving",
                                              "could not connect to server",
                                              "err_internet_disconnected",
                                              "nameresolutionerror"};
constexpr std::string_view kReadOnlyWords[] = {"read-only file system", "erofs",
                                               "device or resource busy", "ebusy"};
constexpr std::string_view kServiceWords[] = {
    "docker daemon",
    "docker.sock",
    "podman.sock",
    "could not open a connection to your authentication agent",
    "error connecting to agent",
    "failed to connect to bus",
    "cannot connect to the bus",
    "cannot open display",
    "gpg-agent"};
constexpr std::string_view kForbiddenWords[] = {"operation not permitted", "eperm"};
// Within a git folder, what is read-only even with git_write.
constexpr std::string_view kGitCodeWords[] = {".git/config", ".git/hooks", "config-file",
                                              "config file"};

template <size_t N>
bool HasOneOf(std::string_view line, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words),
                     [line](std::string_view word) { return line.find(word) != line.npos; });
}

std::string ReadOnlyHint(const SandboxPolicy& policy, std::string_view line) {
  const bool is_git = line.find(".git/") != line.npos || line.find("'.git'") != line.npos;
  if (is_git && HasOneOf(line, kGitCodeWords)) {
    return "git's settings and hooks are read-only in the sandbox; the permission \"all\" runs the "
           "command without it";
  }
  if (is_git && !policy.git_write) {
    return "the .git folder is read-only in the sandbox; the permission \"git_write\" opens it";
  }
  if (policy.workspace == WorkspaceAccess::kRead) {
    return "the workspace is read-only in the sandbox; the permission \"all\" runs the command "
           "without it";
  }
  return "files outside of the workspace and /tmp, and those in it that run code (.vscode, .cursor "
         "and the like), are read-only in the sandbox; the permission \"all\" runs the command "
         "without it";
}

std::string HintOfLine(const SandboxPolicy& policy, std::string_view line) {
  if (!policy.network && HasOneOf(line, kNetworkWords)) {
    return "the sandbox has no network; the permission \"network\" opens it";
  }
  if (HasOneOf(line, kServiceWords)) {
    return "services of this machine (docker, agents of ssh and gpg, the desktop) are closed in "
           "the "
           "sandbox; the permission \"all\" runs the command without it";
  }
  if (HasOneOf(line, kReadOnlyWords)) return ReadOnlyHint(policy, line);
  if (HasOneOf(line, kForbiddenWords)) {
    return "the sandbox refuses some system calls (mounts, namespaces, devices); the permission "
           "\"all\" runs the command without it";
  }
  return "";
}

}  // namespace

// The last line that says something is the nearest to the reason of the end.
std::string Hint(const SandboxPolicy& policy, std::string_view output_tail) {
  if (output_tail.size() > kMaxHintBytes) {
    output_tail.remove_prefix(output_tail.size() - kMaxHintBytes);
  }
  const std::string lower = ToLower(output_tail);
  std::string_view rest = lower;
  while (!rest.empty()) {
    const size_t end = rest.rfind('\n');
    const std::string_view line = end == rest.npos ? rest : rest.substr(end + 1);
    rest = end == rest.npos ? std::string_view() : rest.substr(0, end);
    if (std::string hint = HintOfLine(policy, line); !hint.empty()) return hint;
  }
  return "";
}

}  // namespace cursorwire::sandbox
