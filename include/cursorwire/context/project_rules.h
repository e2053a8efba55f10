// Room: src/context
#ifndef CURSORWIRE_CONTEXT_PROJECT_RULES_H_
#define CURSORWIRE_CONTEXT_PROJECT_RULES_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/export.h"

namespace cursorwire::context {

// A rule from the text of a file. The lines between two "---" at its start, its front matter, say
// when the rule applies: `alwaysApply`, `globs` (separated by commas, or a list), `description`.
// The first of these that says something decides. Without front matter the rule always applies;
// with front matter and none of the three, when the user names it. What is not understood there is
// passed over. Takes any bytes. Source: docs/protocol.md, request context.
CURSORWIRE_EXPORT AgentRule ParseRuleFile(const std::string& path, std::string_view text);

// The same rule for the files below one folder alone: a rule that always applies gets a glob for
// all of them, and globs count from there. Rules that are asked for or named stay as they are.
// `folder` is relative to the project, without slashes at its ends.
CURSORWIRE_EXPORT AgentRule WithinFolder(AgentRule rule, std::string_view folder);

// Bounds of ReadProjectRules(). A value.
struct RuleOptions {
  size_t max_file_bytes = size_t{1} * 1024 * 1024;
  size_t max_files = 100;
  // Of all files together: a turn takes 4 MiB of rules.
  size_t max_bytes = size_t{2} * 1024 * 1024;
  // Look for rules in the folders below too, but for those that `.gitignore` or `.cursorignore`
  // leaves out.
  bool subfolders = true;
  // Longest time of that search, and of looking whether the targets of links are ignored, which is
  // the same one. What was not found by then is not used.
  std::chrono::milliseconds timeout{500};
};

// The rules of a project, in the order in which they were read.
struct ProjectRules {
  std::vector<AgentRule> rules{};
  // Of each rule: its file, relative to the folder, to be shown. A stranger may have chosen it.
  std::vector<std::string> names{};
  // What is left out, and why, each in one sentence with its file.
  std::vector<absl::Status> failures{};
};

// Reads what a project tells agents: `AGENTS.md`, `.cursorrules` (the form that Cursor had before),
// and files below `.cursor/rules` that end with .mdc or .md, sorted by name. Those of the folders
// below follow, sorted by path; they apply to the files of their folder: WithinFolder().
//
// Never fails as a whole. A file outside of the folder is not read, even if a symbolic link of the
// folder names it. Blocks for as long as files take to be read; thread-safe.
// Source: docs/protocol.md, request context.
CURSORWIRE_EXPORT ProjectRules ReadProjectRules(const std::string& folder,
                                                const RuleOptions& options = {});

}  // namespace cursorwire::context

#endif  // CURSORWIRE_CONTEXT_PROJECT_RULES_H_
