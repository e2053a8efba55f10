#ifndef CURSORWIRE_SRC_SANDBOX_PLACES_H_
#define CURSORWIRE_SRC_SANDBOX_PLACES_H_

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <vector>

#include "cursorwire/sandbox.h"
#include "sandbox/inode.h"

namespace cursorwire::sandbox {

// The paths that a plan is made of: all absolute, without symbolic links, and there when they were
// looked up. A value.
struct Places {
  std::string workspace{};
  std::string private_folder{};           // is /tmp inside
  std::vector<std::string> writable{};    // of the policy
  std::vector<std::string> git{};         // what `git_write` opens: read-only without it
  std::vector<std::string> protected_{};  // read-only whatever the policy says
  std::vector<std::string> hidden_files{};
  std::vector<std::string> hidden_folders{};
  std::vector<std::string> readable{};  // within what is hidden: ~/.ssh/known_hosts and the like
  // Not there, but run if they appear: start files of a shell in a workspace that is HOME,
  // PlacesOptions::code_files. Their folders are there.
  std::vector<std::string> absent{};
  // What was found under these names, and under those of the folders that lead to them. What has
  // gone meanwhile is not in it.
  std::map<std::string, Inode> inodes{};
  // The workspace cannot be changed, but for `writable` and `git`; its names were not all looked
  // for.
  bool workspace_is_read_only = false;
};

struct PlacesOptions {
  std::string workspace{};                 // absolute, without symbolic links
  std::string private_folder{};            // as well
  std::vector<std::string> environment{};  // of this process, "NAME=value": HOME, XDG_RUNTIME_DIR,
                                           // SSH_AUTH_SOCK, DOCKER_HOST, ...
  std::vector<std::string> code_files{};   // as of LocalExecOptions::code_files: protected as well
  std::vector<std::string> readable{};     // files that must be seen inside, wherever they lie
};

// Looks them up.
//   kResourceExhausted   too many things to hide or to protect: none is left out silently
//   kFailedPrecondition  something cannot be protected (a `.git` that is a symbolic link in a
//                        folder that may be changed); says what
//   kInvalidArgument     a path of the policy is relative, or would open too much ("/", a folder
//                        above the workspace, HOME itself)
absl::StatusOr<Places> FindPlaces(const PlacesOptions& options, const SandboxPolicy& policy);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_PLACES_H_
