#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_IGNORE_RULES_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_IGNORE_RULES_H_

#include <absl/status/status.h>

#include <string_view>
#include <vector>

#include "workspace/search/glob.h"

namespace cursorwire::workspace {

enum class Verdict { kNone, kIgnore, kKeep };

// The lines of one .gitignore file, in order: the last that matches decides. A value; thread-safe.
// Source: gitignore(5). Paths are relative to the folder of the file.
class IgnoreRules {
 public:
  // Lines that are not patterns, or are broken ones, match nothing, as in git.
  static IgnoreRules OfGitignore(std::string_view text);

  // Adds a rule in the form of a .gitignore line; `braces` says how to treat braces.
  //   kInvalidArgument  as Glob::Parse()
  absl::Status Add(std::string_view pattern, Glob::Braces braces);

  bool empty() const { return rules_.empty(); }
  Verdict Check(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    Glob glob;
    bool keep = false;  // the pattern began with an exclamation mark
    bool folders_only = false;
  };

  std::vector<Rule> rules_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_IGNORE_RULES_H_
