#include "cursorwire/context/project_layout.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "cursorwire/workspace.h"

namespace cursorwire::context {
namespace {

// Adds the files below a folder to `counts`, by their extensions.
void CountExtensions(const LsFolder& folder, std::map<std::string, int64_t>& counts) {
  for (const auto& [extension, count] : folder.extension_counts) counts[extension] += count;
  if (!folder.listed) return;
  for (const std::string& file : folder.files) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension.size() > 1) ++counts[extension];
  }
  for (const LsFolder& child : folder.folders) CountExtensions(child, counts);
}

// Its files are not named any more.
void Collapse(LsFolder& folder) {
  std::map<std::string, int64_t> counts;
  CountExtensions(folder, counts);
  folder.extension_counts = std::move(counts);
  folder.folders.clear();
  folder.files.clear();
  folder.listed = false;
}

// Collapses the folders that are `depth` levels below this one.
void CollapseAt(LsFolder& folder, int depth) {
  if (depth <= 0) return Collapse(folder);
  for (LsFolder& child : folder.folders) CollapseAt(child, depth - 1);
}

int DepthOf(const LsFolder& folder) {
  int depth = 0;
  for (const LsFolder& child : folder.folders) depth = std::max(depth, DepthOf(child) + 1);
  return depth;
}

bool NamesAll(const LsFolder& folder) {
  return folder.listed && std::all_of(folder.folders.begin(), folder.folders.end(), NamesAll);
}

// Leaves out the last names of a folder whose subfolders are collapsed.
void CutNames(LsFolder& root, size_t max_bytes) {
  std::map<std::string, int64_t> counts;
  CountExtensions(root, counts);
  root.extension_counts = std::move(counts);
  root.listed = false;
  while (!root.files.empty() && LayoutBytes(root) > max_bytes) {
    root.files.resize(root.files.size() / 2);
  }
  while (!root.folders.empty() && LayoutBytes(root) > max_bytes) {
    root.folders.resize(root.folders.size() / 2);
  }
  if (LayoutBytes(root) > max_bytes) root.extension_counts.clear();
}

}  // namespace

size_t LayoutBytes(const LsFolder& root) {
  size_t bytes = root.path.size();
  for (const std::string& file : root.files) bytes += file.size();
  for (const auto& [extension, count] : root.extension_counts) bytes += extension.size();
  for (const LsFolder& child : root.folders) bytes += LayoutBytes(child);
  return bytes;
}

void LimitLayout(ProjectLayout& layout, int max_depth, size_t max_bytes) {
  const int depth = DepthOf(layout.root);
  int kept = std::max(std::min(depth, max_depth - 1), 0);
  CollapseAt(layout.root, kept + 1);
  while (kept > 0 && LayoutBytes(layout.root) > max_bytes) CollapseAt(layout.root, kept--);
  if (LayoutBytes(layout.root) > max_bytes) CutNames(layout.root, max_bytes);
  layout.truncated = layout.truncated || !NamesAll(layout.root);
}

absl::StatusOr<ProjectLayout> ReadProjectLayout(const std::string& folder,
                                                const LayoutOptions& options) {
  const auto files = LocalExecHandler::Create(
      folder, {.max_ls_entries = options.max_entries, .timeout = options.timeout});
  if (!files.ok()) return files.status();
  absl::StatusOr<LsOutput> output = (*files)->Ls({}, {});
  if (!output.ok()) return output.status();
  ProjectLayout layout{.root = std::move(output->root), .truncated = output->timed_out};
  LimitLayout(layout, options.max_depth, options.max_bytes);
  return layout;
}

}  // namespace cursorwire::context
