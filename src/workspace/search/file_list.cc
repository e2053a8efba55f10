#include "workspace/search/file_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cursorwire::workspace {
namespace {

// Limit of files that are kept for sorting.
constexpr size_t kMaxFiles = 200'000;

using Visit = std::function<void(const std::string&)>;

// Visits files depth first, sorted by path.
class FilesByPath {
 public:
  FilesByPath(const FolderWalk& walk, const FileFilter& filter, const WorkLimit& limit,
              size_t start_bytes)
      : walk_(walk), filter_(filter), limit_(limit), start_bytes_(start_bytes) {}

  absl::StatusOr<ListEnd> List(const Visit& visit) {
    if (absl::Status status = Enter(walk_.Start()); !status.ok()) return status;
    while (!levels_.empty()) {
      if (limit_.over()) return ListEnd::kIncomplete;
      Level& level = levels_.back();
      if (level.next == level.listing.entries.size()) {
        levels_.pop_back();
        continue;
      }
      const FolderEntry& entry = level.listing.entries[level.next++];
      const std::string place = Join(level.place, entry.name);
      if (entry.kind == FileKind::kFolder) {
        // A folder that cannot be read is left out.
        Enter({place, level.listing.scope}).IgnoreError();
      } else if (entry.kind == FileKind::kRegular && filter_.Passes(place, start_bytes_)) {
        visit(place);
      }
    }
    return complete_ ? ListEnd::kComplete : ListEnd::kIncomplete;
  }

 private:
  struct Level {
    std::string place;
    FolderWalk::Listing listing;
    size_t next = 0;
  };

  absl::Status Enter(const FolderWalk::Folder& folder) {
    absl::StatusOr<FolderWalk::Listing> listing = walk_.List(folder);
    if (!listing.ok()) return listing.status();
    complete_ = complete_ && listing->complete;
    levels_.push_back({folder.place, *std::move(listing)});
    return absl::OkStatus();
  }

  const FolderWalk& walk_;
  const FileFilter& filter_;
  const WorkLimit& limit_;
  const size_t start_bytes_;
  std::vector<Level> levels_;
  bool complete_ = true;
};

struct FoundFile {
  std::string place;
  int64_t modified_ns = 0;
};

void SortBy(FileOrder order, std::vector<FoundFile>& files) {
  if (order == FileOrder::kPathBackwards) {
    std::reverse(files.begin(), files.end());
    return;
  }
  std::stable_sort(files.begin(), files.end(), [&](const FoundFile& a, const FoundFile& b) {
    return order == FileOrder::kOldestFirst ? a.modified_ns < b.modified_ns
                                            : a.modified_ns > b.modified_ns;
  });
}

// 0 for a file that is gone or cannot be opened.
int64_t ModifiedAt(const Workspace& workspace, const std::string& place) {
  const absl::StatusOr<OpenFile> file = workspace.OpenRegularFile(place, LastLink::kRefuse);
  if (!file.ok()) return 0;
  const absl::StatusOr<FileFacts> facts = file->Facts();
  return facts.ok() ? facts->modified_ns : 0;
}

}  // namespace

absl::StatusOr<ListEnd> ListFiles(const Workspace& workspace, const std::string& start,
                                  const FileFilter& filter, FileOrder order, const WorkLimit& limit,
                                  const Visit& visit) {
  const FolderWalk walk(workspace, limit, start, filter.excluded());
  FilesByPath by_path(walk, filter, limit, start.empty() ? 0 : start.size() + 1);
  if (order == FileOrder::kPath) return by_path.List(visit);

  std::vector<FoundFile> files;
  bool complete = true;
  const bool by_time = order == FileOrder::kOldestFirst || order == FileOrder::kNewestFirst;
  const absl::StatusOr<ListEnd> end = by_path.List([&](const std::string& place) {
    if (files.size() == kMaxFiles) {
      complete = false;
      return;
    }
    files.push_back({place, by_time ? ModifiedAt(workspace, place) : 0});
  });
  if (!end.ok()) return end.status();
  SortBy(order, files);
  for (const FoundFile& file : files) {
    if (limit.over()) return ListEnd::kIncomplete;
    visit(file.place);
  }
  return complete ? *end : ListEnd::kIncomplete;
}

}  // namespace cursorwire::workspace
