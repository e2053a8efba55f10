#include "workspace/search/cursor_ignored.h"

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <utility>

#include "base/error.h"
#include "workspace/fs/work_limit.h"
#include "workspace/search/folder_walk.h"

namespace cursorwire::workspace {
namespace {

constexpr size_t kMaxIgnoredPaths = 1000;
constexpr std::chrono::milliseconds kMaxIgnoredTime{2000};

absl::Status TooMuchIsIgnored() {
  return LocalError(absl::StatusCode::kResourceExhausted,
                    "the .cursorignore files name too many files to hide each of them; let them "
                    "name whole folders");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindCursorIgnored(const Workspace& workspace) {
  std::vector<std::string> paths;
  if (!workspace.OpenRegularFile(".cursorignore", LastLink::kRefuse).ok()) return paths;
  const WorkLimit limit(std::stop_token(), kMaxIgnoredTime);
  const FolderWalk walk(workspace, limit, "", {}, IgnoreFiles::kCursor);
  std::vector<FolderWalk::Folder> folders = {walk.Start()};
  while (!folders.empty()) {
    const FolderWalk::Folder folder = std::move(folders.back());
    folders.pop_back();
    const absl::StatusOr<FolderWalk::Listing> listing = walk.List(folder);
    if (!listing.ok()) continue;  // it is gone, or the user may not look into it
    for (const FolderEntry& entry : listing->ignored) {
      paths.push_back(workspace.AbsolutePath(Join(folder.place, entry.name)));
    }
    if (!listing->complete || paths.size() > kMaxIgnoredPaths) return TooMuchIsIgnored();
    for (const FolderEntry& entry : listing->entries) {
      if (entry.kind != FileKind::kFolder) continue;
      folders.push_back({.place = Join(folder.place, entry.name), .scope = listing->scope});
    }
  }
  return paths;
}

}  // namespace cursorwire::workspace
