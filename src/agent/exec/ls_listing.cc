#include "agent/exec/ls_listing.h"

#include "agent/exec/exec_kind.h"
#include "base/strings.h"

namespace cursorwire::agent {

namespace pb = ::agent::v1;

void FillFolder(const LsFolder& folder, pb::LsDirectoryTreeNode& node) {
  node.set_abs_path(ToUtf8(folder.path));
  for (const LsFolder& child : folder.folders) FillFolder(child, *node.add_children_dirs());
  for (const std::string& file : folder.files) node.add_children_files()->set_name(ToUtf8(file));
  node.set_children_were_processed(folder.listed);
  for (const auto& [extension, count] : folder.extension_counts) {
    (*node.mutable_full_subtree_extension_counts())[ToUtf8(extension)] = ToCount(count);
  }
  node.set_num_files(ToCount(folder.file_count));
}

}  // namespace cursorwire::agent
