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
  std::string name;  // bytes as the file system has them
  FileKind kind = FileKind::kRegular;
};

// Reads the folders below a start, one at a time in the caller's order, without what is ignored:
// ".git", what the .gitignore files from the workspace's folder down say, and rules of the caller.
// Symbolic links are entries of their own and not followed. For one thread, scopes included.
class FolderWalk {
 public:
  // The rules of one folder, and of those above it. Shared: the rules of a folder are those of all
  // folders below it, and the order in which these are visited is the caller's.
  struct Scope {
    std::shared_ptr<const Scope> parent;
    size_t skipped_bytes = 0;  // of a place, up to what is relative to the folder of the rules
    IgnoreRules rules;
  };
  struct Folder {
    std::string place;
    std::shared_ptr<const Scope> scope;  // without its own .gitignore
  };
  struct Listing {
    std::vector<FolderEntry> entries;    // sorted by the bytes of the name
    std::shared_ptr<const Scope> scope;  // for the folders among them
    bool complete = true;                // false: `limit` was over, or there were too many
  };

  // What is kept of one folder at most.
  static constexpr size_t kMaxEntries = 50'000;

  // `workspace` and `limit` must outlive this. `extra` are rules relative to `start`; they come
  // last, so they decide.
  FolderWalk(const Workspace& workspace, const WorkLimit& limit, std::string start,
             IgnoreRules extra);

  Folder Start() const;
  // Errors as of Workspace::OpenFolder().
  absl::StatusOr<Listing> List(const Folder& folder) const;

 private:
  std::shared_ptr<const Scope> WithGitignore(const Folder& folder) const;
  bool Ignores(const Scope* scope, const std::string& place, bool is_folder) const;

  const Workspace& workspace_;
  const WorkLimit& limit_;
  const std::string start_;
  const Scope extra_;
  const std::shared_ptr<size_t> kept_bytes_ = std::make_shared<size_t>(0);  // of .gitignore files
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FOLDER_WALK_H_
