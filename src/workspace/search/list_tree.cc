#include "workspace/search/list_tree.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/fs/allow_look.h"
#include "workspace/fs/work_limit.h"
#include "workspace/search/folder_walk.h"

namespace cursorwire::workspace {
namespace {

// Deeper folders are only counted: the tree is sent as nested messages, and parsers refuse more
// than 100 levels.
constexpr int kMaxTreeDepth = 40;
// Limit of extensions listed for one folder; files with others count only in the total.
constexpr size_t kMaxExtensions = 100;
// Limit of globs in the arguments: a parsed glob can take several hundred kilobytes.
constexpr size_t kMaxIgnoreGlobs = 256;

// ".cc" for "a.cc"; empty for a name without an extension, such as ".profile".
std::string ExtensionOf(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size()) return "";
  return ToUtf8(name.substr(dot));
}

class TreeBuilder {
 public:
  TreeBuilder(const Workspace& workspace, const FolderWalk& walk, const WorkLimit& limit,
              size_t max_entries)
      : workspace_(workspace), walk_(walk), limit_(limit), entries_left_(max_entries) {}

  //   errors: those of FolderWalk::List() for the folder itself; unreadable folders below are left
  //   out
  absl::Status Build(LsFolder& root) {
    // Level by level, so that upper levels are complete before a deep folder uses up the entries.
    std::deque<Node> nodes;
    nodes.push_back({&root, walk_.Start(), 0});
    root.path = ToUtf8(workspace_.AbsolutePath(nodes.front().folder.place));
    // Once the limit is over, the remaining nodes stay marked as not listed.
    for (bool is_root = true; !nodes.empty() && (is_root || !limit_.over()); is_root = false) {
      const Node node = std::move(nodes.front());
      nodes.pop_front();
      absl::StatusOr<FolderWalk::Listing> listing = walk_.List(node.folder);
      if (!listing.ok() && is_root) return listing.status();
      // A folder that cannot be read is shown as not listed.
      if (listing.ok()) Take(node, *listing, nodes);
    }
    Sum(root);
    return absl::OkStatus();
  }

 private:
  struct Node {
    LsFolder* output;  // in the tree; stable, as a list of folders is complete before its elements
                       // become nodes
    FolderWalk::Folder folder;
    int depth;
  };

  void Take(const Node& node, const FolderWalk::Listing& listing, std::deque<Node>& nodes) {
    LsFolder& output = *node.output;
    if (limit_.over()) return;
    if (!listing.complete || listing.entries.size() > entries_left_ ||
        node.depth == kMaxTreeDepth) {
      Count(node.folder, listing, output);
      // For the requested folder itself, show at least the first entries.
      if (node.depth == 0) (void)Name(node, listing, entries_left_);
      return;
    }
    entries_left_ -= listing.entries.size();
    output.listed = true;
    std::vector<FolderWalk::Folder> below = Name(node, listing, listing.entries.size());
    for (size_t i = 0; i < below.size(); ++i) {
      nodes.push_back({&output.folders[i], std::move(below[i]), node.depth + 1});
    }
  }

  // Adds the first `count` entries to the tree, and returns the folders among them.
  std::vector<FolderWalk::Folder> Name(const Node& node, const FolderWalk::Listing& listing,
                                       size_t count) {
    std::vector<FolderWalk::Folder> folders;
    for (const FolderEntry& entry : listing.entries) {
      if (count-- == 0) break;
      if (entry.kind != FileKind::kFolder) {
        node.output->files.push_back(ToUtf8(entry.name));
        continue;
      }
      folders.push_back({Join(node.folder.place, entry.name), listing.scope});
      node.output->folders.push_back(
          {.path = ToUtf8(workspace_.AbsolutePath(folders.back().place))});
    }
    return folders;
  }

  // Counts all files from a folder down, by their extensions.
  void Count(const FolderWalk::Folder& start, const FolderWalk::Listing& listing,
             LsFolder& output) {
    std::vector<FolderWalk::Folder> todo;
    CountEntries(start, listing, output, todo);
    while (!todo.empty() && !limit_.over()) {
      const FolderWalk::Folder folder = std::move(todo.back());
      todo.pop_back();
      const absl::StatusOr<FolderWalk::Listing> below = walk_.List(folder);
      if (below.ok()) CountEntries(folder, *below, output, todo);
    }
  }

  static void CountEntries(const FolderWalk::Folder& folder, const FolderWalk::Listing& listing,
                           LsFolder& output, std::vector<FolderWalk::Folder>& todo) {
    for (const FolderEntry& entry : listing.entries) {
      if (entry.kind == FileKind::kFolder) {
        todo.push_back({Join(folder.place, entry.name), listing.scope});
        continue;
      }
      ++output.file_count;
      const std::string extension = ExtensionOf(entry.name);
      if (extension.empty()) continue;
      if (output.extension_counts.size() < kMaxExtensions ||
          output.extension_counts.contains(extension)) {
        ++output.extension_counts[extension];
      }
    }
  }

  // Folders that were counted already have their sum.
  static void Sum(LsFolder& folder) {
    if (!folder.listed) return;
    for (LsFolder& below : folder.folders) {
      Sum(below);
      folder.file_count += below.file_count;
    }
    folder.file_count += static_cast<int64_t>(folder.files.size());
  }

  const Workspace& workspace_;
  const FolderWalk& walk_;
  const WorkLimit& limit_;
  size_t entries_left_;
};

absl::StatusOr<IgnoreRules> RulesOf(const std::vector<std::string>& patterns) {
  if (patterns.size() > kMaxIgnoreGlobs) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("ignore: more than ", kMaxIgnoreGlobs, " globs"));
  }
  IgnoreRules rules;
  for (const std::string& pattern : patterns) {
    if (pattern.empty()) continue;
    if (absl::Status status = rules.Add(pattern, Glob::Braces::kAlternatives); !status.ok()) {
      return Annotate(status, "ignore");
    }
  }
  return rules;
}

}  // namespace

absl::StatusOr<LsOutput> ListTree(const Workspace& workspace, const LocalExecOptions& options,
                                  const LsArgs& args, const ActionContext& context) {
  const absl::StatusOr<std::string> place = workspace.Locate(args.path);
  if (!place.ok()) return place.status();
  absl::StatusOr<IgnoreRules> ignore = RulesOf(args.ignore);
  if (!ignore.ok()) return ignore.status();
  const auto listing = [](std::string path) { return ListAction{.path = std::move(path)}; };
  const absl::StatusOr<Look> look =
      AllowLook(workspace, options.look_policy, *place, listing, context);
  if (!look.ok()) return look.status();

  const bool given = args.timeout.count() > 0;
  const WorkLimit limit(context.stop,
                        given ? std::min(args.timeout, options.timeout) : options.timeout);
  const FolderWalk walk(look->workspace, limit, look->place, *std::move(ignore));
  LsOutput output;
  absl::Status status =
      TreeBuilder(workspace, walk, limit, options.max_ls_entries).Build(output.root);
  if (!status.ok()) return status;
  if (limit.stopped()) return LocalError(absl::StatusCode::kCancelled, "stopped");
  output.timed_out = limit.timed_out();
  return output;
}

}  // namespace cursorwire::workspace
