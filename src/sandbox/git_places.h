#ifndef CURSORWIRE_SRC_SANDBOX_GIT_PLACES_H_
#define CURSORWIRE_SRC_SANDBOX_GIT_PLACES_H_

#include <absl/status/status.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::sandbox {

// The folders of git's that belong to a workspace. A value.
struct GitPlaces {
  std::vector<std::string> folders{};     // what `git_write` opens
  std::vector<std::string> protected_{};  // in them, and files `.git`: they run code or lead to it
};

// Reads at most `max_bytes` of a regular file, a link is followed. Empty: it cannot be read.
std::string ReadShortFile(const std::string& path, size_t max_bytes = 65'536);

// The path without links. Empty: it leads nowhere, or may not be looked at.
std::string ResolvedPath(const std::string& path);

// Adds a git folder, and what runs code in it: settings, hooks, attributes, those of its submodules
// and worktrees.
//   kResourceExhausted  it has too many of these
absl::Status AddGitFolder(const std::string& folder, GitPlaces& places);

// Adds what a file `.git` leads to, if that points back to the file as that of a worktree or of a
// submodule does, or is within `workspace`; else only the file, since a stranger may have written
// it. `file` is absolute and without links.
//   as of AddGitFolder()
absl::Status AddGitFile(const std::string& file, const std::string& workspace, GitPlaces& places);

// The folder that a file `.git` names, without links; empty: none. What stands in it is relative to
// its own folder.
std::string FolderOfGitFile(std::string_view text, const std::string& file);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_GIT_PLACES_H_
