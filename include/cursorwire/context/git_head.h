// Room: src/context
#ifndef CURSORWIRE_CONTEXT_GIT_HEAD_H_
#define CURSORWIRE_CONTEXT_GIT_HEAD_H_

#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/export.h"
#include "cursorwire/git_repository.h"

namespace cursorwire::context {

// The branch that the text of a file `.git/HEAD` names; empty: none is checked out, or this is no
// such text. Source: gitrepository-layout(5), HEAD.
CURSORWIRE_EXPORT std::string ParseGitHead(std::string_view text);

// The repository at a folder, with its branch. Git is not run, so `status` stays empty: fill it in
// with what `git status` says. nullopt: there is no `.git/HEAD` within the folder, as where the
// folder is a linked worktree.
CURSORWIRE_EXPORT std::optional<GitRepository> ReadGitHead(const std::string& folder);

}  // namespace cursorwire::context

#endif  // CURSORWIRE_CONTEXT_GIT_HEAD_H_
