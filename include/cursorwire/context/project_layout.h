// Room: src/context
#ifndef CURSORWIRE_CONTEXT_PROJECT_LAYOUT_H_
#define CURSORWIRE_CONTEXT_PROJECT_LAYOUT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/chat.h"
#include "cursorwire/exec.h"
#include "cursorwire/export.h"

namespace cursorwire::context {

// Bounds of ReadProjectLayout(). A value.
struct LayoutOptions {
  size_t max_entries = 1000;  // files and folders
  int max_depth = 8;          // folders within each other; 1: the entries of the folder alone
  size_t max_bytes = size_t{64} * 1024;
  // Longest time to look. What was not found by then is not counted either.
  std::chrono::milliseconds timeout{500};
};

// Which files and folders a project has, for ChatRequest::project_layouts. A value.
struct ProjectLayout {
  LsFolder root{};
  // Not every file is named: the bounds were reached. A folder whose files are not named is not
  // `listed`, and says how many they are.
  bool truncated = false;
};

// Lists a folder: sorted by the bytes of the names, without `.git` and what `.gitignore` and
// `.cursorignore` files leave out. Symbolic links are not followed. Upper folders go before deep
// ones where there is not enough room. Blocks for the timeout at most, unless the file system does
// not answer; thread-safe.
//   what LocalExecHandler::Create() and Ls() say
CURSORWIRE_EXPORT absl::StatusOr<ProjectLayout> ReadProjectLayout(
    const std::string& folder, const LayoutOptions& options = {});

// What a layout takes of `max_bytes`: its names and the paths of its folders.
CURSORWIRE_EXPORT size_t LayoutBytes(const LsFolder& root);

// Makes a layout smaller until both bounds hold: the deepest folders are only counted first, and at
// last the names at the end of the folder itself are left out. Its path is always there.
CURSORWIRE_EXPORT void LimitLayout(ProjectLayout& layout, int max_depth, size_t max_bytes);

// The branch that the text of a file `.git/HEAD` names; empty: none is checked out, or this is no
// such text. Source: gitrepository-layout(5), HEAD.
CURSORWIRE_EXPORT std::string ParseGitHead(std::string_view text);

// The repository at a folder, with its branch. Git is not run, so `status` stays empty: fill it in
// with what `git status` says. nullopt: there is no `.git/HEAD` within the folder, as where the
// folder is a linked worktree.
CURSORWIRE_EXPORT std::optional<GitRepository> ReadGitHead(const std::string& folder);

}  // namespace cursorwire::context

#endif  // CURSORWIRE_CONTEXT_PROJECT_LAYOUT_H_
