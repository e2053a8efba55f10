#include "agent/exec_success.h"

#include <string>
#include <utility>

#include "agent/exec_args.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Server = pb::ExecServerMessage;
using Results = std::vector<pb::ExecClientMessage>;

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

// `folder` is a tree of a handler's making: its depth is that of a file system.
void Fill(const LsFolder& folder, pb::LsDirectoryTreeNode& node) {
  node.set_abs_path(ToUtf8(folder.path));
  for (const LsFolder& child : folder.folders) Fill(child, *node.add_children_dirs());
  for (const std::string& file : folder.files) node.add_children_files()->set_name(ToUtf8(file));
  node.set_children_were_processed(folder.listed);
  for (const auto& [extension, count] : folder.extension_counts) {
    (*node.mutable_full_subtree_extension_counts())[ToUtf8(extension)] = count;
  }
  node.set_num_files(folder.file_count);
}

void Fill(const LsOutput& output, pb::LsResult& result) {
  Fill(output.root, output.timed_out ? *result.mutable_timeout()->mutable_directory_tree_root()
                                     : *result.mutable_success()->mutable_directory_tree_root());
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

// ShellSuccess and ShellFailure have these in common.
template <typename Result>
void FillEnd(const pb::ShellArgs& args, const ShellOutput& output, Result& result) {
  result.set_command(args.command());
  result.set_working_directory(args.working_directory());
  result.set_exit_code(output.exit_code);
  result.set_signal(output.signal);
  result.set_stdout(ToUtf8(output.out));
  result.set_stderr(ToUtf8(output.err));
  result.set_execution_time(static_cast<int32_t>(output.duration.count()));
}

void Fill(const pb::ShellArgs& args, const ShellOutput& output, pb::ShellResult& result) {
  if (output.timed_out) {
    pb::ShellTimeout& timeout = *result.mutable_timeout();
    timeout.set_command(args.command());
    timeout.set_working_directory(args.working_directory());
    return timeout.set_timeout_ms(static_cast<int32_t>(output.duration.count()));
  }
  if (output.exit_code == 0 && output.signal.empty()) {
    return FillEnd(args, output, *result.mutable_success());
  }
  FillEnd(args, output, *result.mutable_failure());
}

// Start, output, one end. Source: docs/protocol.md, execs.
Results StreamEvents(const pb::ShellArgs& args, const ShellOutput& output) {
  Results results(1);
  results[0].mutable_shell_stream()->mutable_start();
  if (!output.out.empty()) {
    results.emplace_back().mutable_shell_stream()->mutable_stdout()->set_data(ToUtf8(output.out));
  }
  if (!output.err.empty()) {
    results.emplace_back().mutable_shell_stream()->mutable_stderr()->set_data(ToUtf8(output.err));
  }
  pb::ShellStreamExit& exit = *results.emplace_back().mutable_shell_stream()->mutable_exit();
  exit.set_code(static_cast<uint32_t>(output.exit_code));
  exit.set_cwd(args.working_directory());
  exit.set_aborted(output.timed_out);
  if (output.timed_out) exit.set_abort_reason(pb::SHELL_ABORT_REASON_TIMEOUT);
  exit.set_local_execution_time_ms(static_cast<int32_t>(output.duration.count()));
  return results;
}

void Fill(const pb::BackgroundShellSpawnArgs& args, const BackgroundShellOutput& output,
          pb::BackgroundShellSpawnResult& result) {
  pb::BackgroundShellSpawnSuccess& success = *result.mutable_success();
  success.set_shell_id(output.shell_id);
  success.set_command(args.command());
  success.set_working_directory(args.working_directory());
  if (output.process_id) success.set_pid(*output.process_id);
}

void Fill(const pb::WriteShellStdinArgs& args, const WriteShellStdinOutput& output,
          pb::WriteShellStdinResult& result) {
  result.mutable_success()->set_shell_id(args.shell_id());
  result.mutable_success()->set_terminal_file_length_before_input_written(
      output.output_bytes_before);
}

void Fill(const pb::FetchArgs& args, const FetchOutput& output, pb::FetchResult& result) {
  pb::FetchSuccess& success = *result.mutable_success();
  success.set_url(args.url());
  success.set_content(ToUtf8(output.content));
  success.set_status_code(output.status_code);
  success.set_content_type(ToUtf8(output.content_type));
}

void Fill(const pb::DiagnosticsArgs& args, const DiagnosticsOutput& output,
          pb::DiagnosticsResult& result) {
  pb::DiagnosticsSuccess& success = *result.mutable_success();
  success.set_path(args.path());
  for (const Diagnostic& diagnostic : output.diagnostics) {
    pb::Diagnostic& entry = *success.add_diagnostics();
    // The numbers are those of the wire.
    entry.set_severity(static_cast<pb::DiagnosticSeverity>(diagnostic.severity));
    entry.mutable_range()->mutable_start()->set_line(diagnostic.line);
    entry.mutable_range()->mutable_start()->set_column(diagnostic.column);
    entry.mutable_range()->mutable_end()->set_line(diagnostic.end_line);
    entry.mutable_range()->mutable_end()->set_column(diagnostic.end_column);
    entry.set_message(ToUtf8(diagnostic.message));
    entry.set_source(ToUtf8(diagnostic.source));
    entry.set_code(ToUtf8(diagnostic.code));
  }
  success.set_total_diagnostics(static_cast<int32_t>(output.diagnostics.size()));
}

void Fill(const ListMcpResourcesOutput& output, pb::ListMcpResourcesExecResult& result) {
  pb::ListMcpResourcesSuccess& success = *result.mutable_success();
  for (const McpResource& resource : output.resources) {
    auto& entry = *success.add_resources();
    entry.set_uri(ToUtf8(resource.uri));
    if (!resource.name.empty()) entry.set_name(ToUtf8(resource.name));
    if (!resource.description.empty()) entry.set_description(ToUtf8(resource.description));
    if (!resource.mime_type.empty()) entry.set_mime_type(ToUtf8(resource.mime_type));
    entry.set_server(ToUtf8(resource.server));
  }
}

void Fill(const pb::ReadMcpResourceExecArgs& args, const ReadMcpResourceOutput& output,
          pb::ReadMcpResourceExecResult& result) {
  pb::ReadMcpResourceSuccess& success = *result.mutable_success();
  success.set_uri(args.uri());
  if (!output.mime_type.empty()) success.set_mime_type(ToUtf8(output.mime_type));
  if (output.is_text && IsUtf8(output.content)) {
    success.set_text(output.content);
  } else {
    success.set_blob(output.content);
  }
}

void Fill(const pb::RecordScreenArgs& args, const RecordScreenOutput& output,
          pb::RecordScreenResult& result) {
  switch (args.mode()) {
    case pb::RECORDING_MODE_SAVE_RECORDING:
      result.mutable_save_success()->set_path(ToUtf8(output.path));
      result.mutable_save_success()->set_recording_duration_ms(output.duration.count());
      return;
    case pb::RECORDING_MODE_DISCARD_RECORDING:
      result.mutable_discard_success();
      return;
    default:
      result.mutable_start_success();
  }
}

void Fill(const ComputerUseOutput& output, pb::ComputerUseResult& result) {
  pb::ComputerUseSuccess& success = *result.mutable_success();
  success.set_action_count(output.action_count);
  success.set_duration_ms(static_cast<int32_t>(output.duration.count()));
  if (!output.screenshot.empty()) success.set_screenshot(ToUtf8(output.screenshot));
}

// One overload a kind of output: the result if the exec is of that kind, else none.
class Maker {
 public:
  explicit Maker(const Server& exec) : exec_(exec) {}

  Results operator()(const ReadOutput& output) const {
    if (exec_.has_redacted_read_args()) {
      return One([&](auto& result) { Fill(output, *result.mutable_redacted_read_result()); });
    }
    if (!exec_.has_read_args()) return {};
    return One([&](auto& result) { Fill(output, *result.mutable_read_result()); });
  }
  Results operator()(const LsOutput& output) const {
    if (!exec_.has_ls_args()) return {};
    return One([&](auto& result) { Fill(output, *result.mutable_ls_result()); });
  }
  Results operator()(const GrepOutput& output) const {
    if (!exec_.has_grep_args()) return {};
    const GrepMode mode = ModeOf(exec_.grep_args());
    return One([&](auto& result) {
      Fill(exec_.grep_args(), mode, output, *result.mutable_grep_result());
    });
  }
  Results operator()(const WriteOutput& output) const {
    if (!exec_.has_write_args()) return {};
    return One([&](auto& result) { Fill(output, *result.mutable_write_result()); });
  }
  Results operator()(const DeleteOutput& output) const {
    if (!exec_.has_delete_args()) return {};
    return One([&](auto& result) { Fill(output, *result.mutable_delete_result()); });
  }
  Results operator()(const ShellOutput& output) const {
    if (exec_.has_shell_stream_args()) return StreamEvents(exec_.shell_stream_args(), output);
    if (!exec_.has_shell_args()) return {};
    return One(
        [&](auto& result) { Fill(exec_.shell_args(), output, *result.mutable_shell_result()); });
  }
  Results operator()(const BackgroundShellOutput& output) const {
    if (!exec_.has_background_shell_spawn_args()) return {};
    return One([&](auto& result) {
      Fill(exec_.background_shell_spawn_args(), output,
           *result.mutable_background_shell_spawn_result());
    });
  }
  Results operator()(const WriteShellStdinOutput& output) const {
    if (!exec_.has_write_shell_stdin_args()) return {};
    return One([&](auto& result) {
      Fill(exec_.write_shell_stdin_args(), output, *result.mutable_write_shell_stdin_result());
    });
  }
  Results operator()(const FetchOutput& output) const {
    if (!exec_.has_fetch_args()) return {};
    return One(
        [&](auto& result) { Fill(exec_.fetch_args(), output, *result.mutable_fetch_result()); });
  }
  Results operator()(const DiagnosticsOutput& output) const {
    if (!exec_.has_diagnostics_args()) return {};
    return One([&](auto& result) {
      Fill(exec_.diagnostics_args(), output, *result.mutable_diagnostics_result());
    });
  }
  Results operator()(const ListMcpResourcesOutput& output) const {
    if (!exec_.has_list_mcp_resources_exec_args()) return {};
    return One(
        [&](auto& result) { Fill(output, *result.mutable_list_mcp_resources_exec_result()); });
  }
  Results operator()(const ReadMcpResourceOutput& output) const {
    if (!exec_.has_read_mcp_resource_exec_args()) return {};
    return One([&](auto& result) {
      Fill(exec_.read_mcp_resource_exec_args(), output,
           *result.mutable_read_mcp_resource_exec_result());
    });
  }
  Results operator()(const RecordScreenOutput& output) const {
    if (!exec_.has_record_screen_args()) return {};
    return One([&](auto& result) {
      Fill(exec_.record_screen_args(), output, *result.mutable_record_screen_result());
    });
  }
  Results operator()(const ComputerUseOutput& output) const {
    if (!exec_.has_computer_use_args()) return {};
    return One([&](auto& result) { Fill(output, *result.mutable_computer_use_result()); });
  }

 private:
  template <typename Fn>
  static Results One(Fn fill) {
    Results results(1);
    fill(results[0]);
    return results;
  }

  const Server& exec_;
};

}  // namespace

Results ExecSuccess(const Server& exec, const ExecOutput& output) {
  return std::visit(Maker(exec), output);
}

}  // namespace cursorwire::agent
