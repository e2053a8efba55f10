#include "agent/exec/exec_success.h"

#include <variant>

#include "agent/exec/exec_args.h"
#include "agent/exec/exec_success_fill.h"
#include "agent/tools/tool_exec.h"

namespace cursorwire::agent {
namespace {

using Server = ::agent::v1::ExecServerMessage;
using Results = std::vector<::agent::v1::ExecClientMessage>;

// One overload a kind of output: the result if the exec is of that kind, else none.
class Maker {
 public:
  Maker(const Server& exec, StreamState state) : exec_(exec), state_(state) {}

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
    if (exec_.has_shell_stream_args()) {
      return StreamEvents(exec_.shell_stream_args(), output, state_);
    }
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
  Results operator()(const ToolResult& output) const {
    if (!exec_.has_mcp_args()) return {};
    return One([&](auto& result) { *result.mutable_mcp_result() = ToMcpResult(output); });
  }

 private:
  template <typename Fn>
  static Results One(Fn fill) {
    Results results(1);
    fill(results[0]);
    return results;
  }

  const Server& exec_;
  const StreamState state_;
};

}  // namespace

Results ExecSuccess(const Server& exec, const ExecOutput& output, StreamState state) {
  return std::visit(Maker(exec, state), output);
}

}  // namespace cursorwire::agent
