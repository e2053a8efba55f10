#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_FILTER_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_FILTER_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

#include "workspace/search/glob.h"
#include "workspace/search/ignore_rules.h"

namespace cursorwire::workspace {

// Which files a search is for, by a glob and the name of a language. A value; thread-safe.
//
// The glob is relative to the folder that is searched, or to the workspace: a file passes if either
// fits. A slash at its end means all that is below; with an exclamation mark before it, it says
// which files and folders to leave out.
class FileFilter {
 public:
  // Empty texts: all files.
  //   kInvalidArgument  the glob does not parse, or the language is not known
  static absl::StatusOr<FileFilter> Make(std::string_view glob, const std::string& type);

  // What the walk has to leave out; relative to the folder that is searched.
  const IgnoreRules& excluded() const { return excluded_; }
  // `start_bytes` of `place` are before what is relative to the folder that is searched.
  bool Passes(std::string_view place, size_t start_bytes) const;

 private:
  IgnoreRules excluded_;
  std::optional<Glob> glob_;
  std::optional<Glob> type_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_FILTER_H_
