#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_FOLDER_WALK_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_FOLDER_WALK_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/fs/work_limit.h"
#include "workspace/fs/workspace.h"
#include "workspace/search/ignore_rules.h"

namespace cursorwire::workspace {

struct FolderEntry {
  std::string name;  // bytes, as in the file system
  FileKind kind = FileKind::kRegular;
};

// Which files say what is ignored.
enum class IgnoreFiles { kGitAndCursor, kCursor };

// Reads the folders below a start, one at a time in the caller's order. Leaves out what is ignored:
// ".git", the matches of .gitignore and .cursorignore files from the workspace's folder down, and
// those of the caller's rules. Symbolic links are listed as entries and not followed. For a single
// thread, including its scopes.
class FolderWalk {
 public:
  // The rules of one folder, linked to those of the folders above it. Shared: a folder's rules
  // apply to all folders below it, which the caller may visit in any order.
  struct Scope {
    std::shared_ptr<const Scope> parent;
    size_t skipped_bytes = 0;  // length of the part of a place before the path relative to this
                               // folder
    IgnoreRules rules;
  };
  struct Folder {
    std::string place;
    std::shared_ptr<const Scope> scope;  // excludes its own ignore files
  };
  struct Listing {
    std::vector<FolderEntry> entries;    // sorted by the bytes of the name
    std::vector<FolderEntry> ignored;    // with IgnoreFiles::kCursor; in no order
    std::shared_ptr<const Scope> scope;  // for the folders in `entries`
    bool complete = true;                // false: the time limit was over, or there were too many
                                         // entries
  };

  // At most so many entries of one folder are kept.
  static constexpr size_t kMaxEntries = 50'000;

  // `workspace` and `limit` must outlive this. The rules in `extra` are relative to `start` and
  // override all others.
  FolderWalk(const Workspace& workspace, const WorkLimit& limit, std::string start,
             IgnoreRules extra, IgnoreFiles files = IgnoreFiles::kGitAndCursor);

  Folder Start() const;
  // The errors are those of Workspace::OpenFolder().
  absl::StatusOr<Listing> List(const Folder& folder) const;

 private:
  std::shared_ptr<const Scope> WithIgnoreFiles(const Folder& folder) const;
  bool Ignores(const Scope* scope, const std::string& place, bool is_folder) const;

  const Workspace& workspace_;
  const WorkLimit& limit_;
  const std::string start_;
  const IgnoreFiles files_;
  const Scope extra_;
  const std::shared_ptr<size_t> kept_bytes_ = std::make_shared<size_t>(0);  // total size of the
                                                                            // ignore files that
                                                                            // are kept
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FOLDER_WALK_H_
