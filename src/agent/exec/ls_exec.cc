#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

LsArgs ToLs(const pb::LsArgs& args) {
  return {.path = args.path(),
          .ignore = {args.ignore().begin(), args.ignore().end()},
          .timeout = MillisecondsOf(args.timeout_ms())};
}

// The recursion is as deep as `folder`, which a handler built: as deep as a file system.
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

void FillLs(const pb::LsArgs& /*args*/, const LsOutput& output, pb::LsResult& result) {
  FillFolder(output.root, output.timed_out
                              ? *result.mutable_timeout()->mutable_directory_tree_root()
                              : *result.mutable_success()->mutable_directory_tree_root());
}

void FailLs(const pb::LsArgs& args, const ExecFailure& failure, pb::LsResult& result) {
  if (failure.refused()) return RejectPath(args.path(), failure, *result.mutable_rejected());
  FailPath(args.path(), failure, *result.mutable_error());
}

}  // namespace

const ExecKind kLsExec =
    MakeExecKind<LsOutput, &pb::ExecServerMessage::ls_args,
                 &pb::ExecClientMessage::mutable_ls_result, ToLs, FillLs, FailLs>(
        pb::ExecServerMessage::kLsArgs);

}  // namespace cursorwire::agent
