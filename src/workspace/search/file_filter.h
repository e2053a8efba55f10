#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_FILTER_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_FILTER_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

#include "workspace/search/glob.h"
#include "workspace/search/ignore_rules.h"

namespace cursorwire::workspace {

// Selects the files of a search by a glob and the name of a language. A value; thread-safe.
//
// The glob is relative to the folder that is searched, or to the workspace: a file passes if either
// matches. A slash at its end selects everything below. An exclamation mark at its start excludes
// the files and folders that match.
class FileFilter {
 public:
  // Empty texts select all files.
  //   kInvalidArgument  the glob does not parse, or the language is unknown
  static absl::StatusOr<FileFilter> Make(std::string_view glob, const std::string& type);

  // The rules for the walk to exclude, relative to the folder that is searched.
  const IgnoreRules& excluded() const { return excluded_; }
  // The first `start_bytes` of `place` precede the path relative to the folder that is searched.
  bool Passes(std::string_view place, size_t start_bytes) const;

 private:
  IgnoreRules excluded_;
  std::optional<Glob> glob_;
  std::optional<Glob> type_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_FILTER_H_
