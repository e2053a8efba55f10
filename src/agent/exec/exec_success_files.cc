#include "agent/exec/exec_success_fill.h"

#include "agent/exec/exec_args.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// `folder` is a tree of a handler's making: its depth is that of a file system.
void FillFolder(const LsFolder& folder, pb::LsDirectoryTreeNode& node) {
  node.set_abs_path(ToUtf8(folder.path));
  for (const LsFolder& child : folder.folders) FillFolder(child, *node.add_children_dirs());
  for (const std::string& file : folder.files) node.add_children_files()->set_name(ToUtf8(file));
  node.set_children_were_processed(folder.listed);
  for (const auto& [extension, count] : folder.extension_counts) {
    (*node.mutable_full_subtree_extension_counts())[ToUtf8(extension)] = count;
  }
  node.set_num_files(folder.file_count);
}

template <typename Result>
void FillRange(const GrepOutput& output, Result& result) {
  result.set_client_truncated(output.truncated);
  if (output.head_limit_applied) result.set_head_limit_applied(*output.head_limit_applied);
  if (output.offset_applied) result.set_offset_applied(*output.offset_applied);
}

void FillContent(const GrepOutput& output, pb::GrepContentResult& result) {
  int32_t lines = 0;
  for (const GrepFile& file : output.files) {
    pb::GrepFileMatch& match = *result.add_matches();
    match.set_file(ToUtf8(file.path));
    for (const GrepLine& line : file.lines) {
      pb::GrepContentMatch& found = *match.add_matches();
      found.set_line_number(line.number);
      found.set_content(ToUtf8(line.text));
      found.set_content_truncated(line.truncated);
      found.set_is_context_line(line.is_context);
      ++lines;
    }
  }
  result.set_total_lines(lines);
  result.set_total_matched_lines(output.total_matches);
  FillRange(output, result);
}

void FillFiles(const GrepOutput& output, pb::GrepFilesResult& result) {
  for (const GrepFile& file : output.files) result.add_files(ToUtf8(file.path));
  result.set_total_files(output.total_files);
  FillRange(output, result);
}

void FillCounts(const GrepOutput& output, pb::GrepCountResult& result) {
  for (const GrepFile& file : output.files) {
    pb::GrepFileCount& count = *result.add_counts();
    count.set_file(ToUtf8(file.path));
    count.set_count(file.count);
  }
  result.set_total_files(output.total_files);
  result.set_total_matches(output.total_matches);
  FillRange(output, result);
}

}  // namespace

void Fill(const ReadOutput& output, pb::ReadResult& result) {
  pb::ReadSuccess& success = *result.mutable_success();
  success.set_path(ToUtf8(output.path));
  if (output.is_text && IsUtf8(output.content)) {
    success.set_content(output.content);
  } else {
    success.set_data(output.content);
  }
  success.set_total_lines(output.total_lines);
  success.set_file_size(output.file_bytes);
  success.set_truncated(output.truncated);
  success.set_range_applied(output.range_applied);
}

void Fill(const LsOutput& output, pb::LsResult& result) {
  FillFolder(output.root, output.timed_out
                              ? *result.mutable_timeout()->mutable_directory_tree_root()
                              : *result.mutable_success()->mutable_directory_tree_root());
}

void Fill(const pb::GrepArgs& args, GrepMode mode, const GrepOutput& output,
          pb::GrepResult& result) {
  pb::GrepSuccess& success = *result.mutable_success();
  success.set_pattern(args.pattern());
  success.set_path(args.path());
  success.set_output_mode(GrepModeName(mode));
  pb::GrepUnionResult& found = (*success.mutable_workspace_results())[ToUtf8(output.root)];
  switch (mode) {
    case GrepMode::kContent:
      return FillContent(output, *found.mutable_content());
    case GrepMode::kFiles:
      return FillFiles(output, *found.mutable_files());
    case GrepMode::kCount:
      return FillCounts(output, *found.mutable_count());
  }
}

void Fill(const WriteOutput& output, pb::WriteResult& result) {
  pb::WriteSuccess& success = *result.mutable_success();
  success.set_path(ToUtf8(output.path));
  success.set_lines_created(output.lines);
  success.set_file_size(output.file_bytes);
  if (output.content_after) success.set_file_content_after_write(ToUtf8(*output.content_after));
}

void Fill(const DeleteOutput& output, pb::DeleteResult& result) {
  pb::DeleteSuccess& success = *result.mutable_success();
  success.set_path(ToUtf8(output.path));
  success.set_deleted_file(ToUtf8(output.deleted_file));
  success.set_file_size(output.file_bytes);
  success.set_prev_content(ToUtf8(output.previous_content));
}

}  // namespace cursorwire::agent
