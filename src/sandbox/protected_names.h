#ifndef CURSORWIRE_SRC_SANDBOX_PROTECTED_NAMES_H_
#define CURSORWIRE_SRC_SANDBOX_PROTECTED_NAMES_H_

#include <span>
#include <string_view>

namespace cursorwire::sandbox {

// The names of files and folders that git, an editor, an agent, a shell or a tool of building runs
// or takes programs from: one table for the sandbox and for edits of files. docs/workspace.md,
// "Files that run code", has the list and the reasons. Upper and lower case, and other spellings
// that some file systems treat as the same name, make no difference.

// A folder with this file is a git folder, whatever its name.
inline constexpr char kHead[] = "HEAD";

// Those that are written out in full, in lower case. Others have a rule.
std::span<const std::string_view> ProtectedNames();

// Checks the name of one part of a path.
bool IsProtectedName(std::string_view part);

// Whether a name is protected for the folder that it is in: "mise/config.toml".
bool IsProtectedPlace(std::string_view folder, std::string_view name);

// Whether a part of the path is one of these.
bool HasProtectedName(std::string_view path);

// ".git", in all spellings.
bool IsNameOfGit(std::string_view name);

// The name of kHead, in all spellings.
bool IsNameOfHead(std::string_view name);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_PROTECTED_NAMES_H_
