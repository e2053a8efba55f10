#include "agent/exec/exec_args.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <chrono>

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Server = pb::ExecServerMessage;

std::chrono::milliseconds Milliseconds(int64_t count) {
  return std::chrono::milliseconds(std::max<int64_t>(count, 0));
}

ReadArgs Read(const pb::ReadArgs& args) {
  ReadArgs read{.path = args.path()};
  if (args.has_offset()) read.offset = args.offset();
  if (args.has_limit()) read.limit = args.limit();
  return read;
}

LsArgs Ls(const pb::LsArgs& args) {
  return {.path = args.path(),
          .ignore = {args.ignore().begin(), args.ignore().end()},
          .timeout = Milliseconds(args.timeout_ms())};
}

GrepArgs Grep(const pb::GrepArgs& args) {
  GrepArgs grep{
      .pattern = args.pattern(),
      .path = args.path(),
      .glob = args.glob(),
      .type = args.type(),
      .mode = ModeOf(args),
      .context_before = args.has_context_before() ? args.context_before() : args.context(),
      .context_after = args.has_context_after() ? args.context_after() : args.context(),
      .case_insensitive = args.case_insensitive(),
      .multiline = args.multiline(),
      .sort = args.sort(),
      .sort_ascending = !args.has_sort_ascending() || args.sort_ascending()};
  if (args.has_offset()) grep.offset = args.offset();
  if (args.has_head_limit()) grep.head_limit = args.head_limit();
  return grep;
}

WriteArgs Write(const pb::WriteArgs& args) {
  // Text in `file_text` or, if that is not empty, bytes. Source: docs/protocol.md, execs.
  return {.path = args.path(),
          .content = args.file_bytes().empty() ? args.file_text() : args.file_bytes(),
          .return_content = args.return_file_content_after_write()};
}

ShellArgs Shell(const pb::ShellArgs& args) {
  ShellArgs shell{.command = args.command(),
                  .working_directory = args.working_directory(),
                  .timeout = Milliseconds(args.timeout()),
                  .hard_timeout = Milliseconds(args.hard_timeout()),
                  .in_background = args.is_background(),
                  .close_stdin = args.close_stdin()};
  if (args.timeout_behavior() == pb::TIMEOUT_BEHAVIOR_BACKGROUND) {
    shell.timeout_behavior = TimeoutBehavior::kBackground;
  }
  if (args.has_file_output_threshold_bytes()) {
    shell.file_output_threshold_bytes = args.file_output_threshold_bytes();
  }
  return shell;
}

ShellArgs StreamedShell(const pb::ShellArgs& args) {
  ShellArgs shell = Shell(args);
  shell.streamed = true;
  return shell;
}

RecordScreenArgs RecordScreen(const pb::RecordScreenArgs& args) {
  RecordScreenMode mode = RecordScreenMode::kStart;
  if (args.mode() == pb::RECORDING_MODE_SAVE_RECORDING) mode = RecordScreenMode::kSave;
  if (args.mode() == pb::RECORDING_MODE_DISCARD_RECORDING) mode = RecordScreenMode::kDiscard;
  return {.mode = mode, .save_as = args.save_as_filename()};
}

ComputerUseArgs ComputerUse(const pb::ComputerUseArgs& args) {
  std::string array = "[";
  for (const pb::ComputerUseAction& action : args.actions()) {
    std::string json;
    // This cannot fail: the message was just parsed.
    (void)google::protobuf::util::MessageToJsonString(action, &json);
    array += (array.size() > 1 ? "," : "") + json;
  }
  return {.actions_json = array + "]"};
}

}  // namespace

std::optional<ExecArgs> ToExecArgs(const Server& exec) {
  switch (exec.message_case()) {
    case Server::kReadArgs:
      return Read(exec.read_args());
    case Server::kRedactedReadArgs:
      return Read(exec.redacted_read_args());
    case Server::kLsArgs:
      return Ls(exec.ls_args());
    case Server::kGrepArgs:
      return Grep(exec.grep_args());
    case Server::kWriteArgs:
      return Write(exec.write_args());
    case Server::kDeleteArgs:
      return DeleteArgs{.path = exec.delete_args().path()};
    case Server::kShellArgs:
      return Shell(exec.shell_args());
    case Server::kShellStreamArgs:
      return StreamedShell(exec.shell_stream_args());
    case Server::kBackgroundShellSpawnArgs:
      return BackgroundShellArgs{
          .command = exec.background_shell_spawn_args().command(),
          .working_directory = exec.background_shell_spawn_args().working_directory()};
    case Server::kWriteShellStdinArgs:
      return WriteShellStdinArgs{.shell_id = exec.write_shell_stdin_args().shell_id(),
                                 .chars = exec.write_shell_stdin_args().chars()};
    case Server::kFetchArgs:
      return FetchArgs{.url = exec.fetch_args().url()};
    case Server::kDiagnosticsArgs:
      return DiagnosticsArgs{.path = exec.diagnostics_args().path()};
    case Server::kListMcpResourcesExecArgs:
      return ListMcpResourcesArgs{.server = exec.list_mcp_resources_exec_args().server()};
    case Server::kReadMcpResourceExecArgs:
      return ReadMcpResourceArgs{.server = exec.read_mcp_resource_exec_args().server(),
                                 .uri = exec.read_mcp_resource_exec_args().uri()};
    case Server::kRecordScreenArgs:
      return RecordScreen(exec.record_screen_args());
    case Server::kComputerUseArgs:
      return ComputerUse(exec.computer_use_args());
    default:
      return std::nullopt;
  }
}

GrepMode ModeOf(const pb::GrepArgs& args) {
  if (args.pattern().empty() || args.output_mode() == "files_with_matches") return GrepMode::kFiles;
  if (args.output_mode() == "count") return GrepMode::kCount;
  return GrepMode::kContent;
}

const char* GrepModeName(GrepMode mode) {
  switch (mode) {
    case GrepMode::kContent:
      return "content";
    case GrepMode::kFiles:
      return "files_with_matches";
    case GrepMode::kCount:
      return "count";
  }
  return "content";
}

}  // namespace cursorwire::agent
