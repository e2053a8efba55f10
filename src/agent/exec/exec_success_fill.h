#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_SUCCESS_FILL_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_SUCCESS_FILL_H_

#include <string_view>
#include <vector>

#include "agent/exec/stream_state.h"
#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// For exec_success.cc, and the stream's output for exec.cc: each writes one kind of output as the
// result of its kind, with what the result repeats of the arguments. Source: docs/protocol.md,
// execs.

// Files.
void Fill(const ReadOutput& output, ::agent::v1::ReadResult& result);
void Fill(const LsOutput& output, ::agent::v1::LsResult& result);
void Fill(const ::agent::v1::GrepArgs& args, GrepMode mode, const GrepOutput& output,
          ::agent::v1::GrepResult& result);
void Fill(const WriteOutput& output, ::agent::v1::WriteResult& result);
void Fill(const DeleteOutput& output, ::agent::v1::DeleteResult& result);

// Shells.
void Fill(const ::agent::v1::ShellArgs& args, const ShellOutput& output,
          ::agent::v1::ShellResult& result);
// Start, unless it was sent, and output.
std::vector<::agent::v1::ExecClientMessage> StreamOutput(std::string_view out, std::string_view err,
                                                         StreamState state);
// The same, and one end.
std::vector<::agent::v1::ExecClientMessage> StreamEvents(const ::agent::v1::ShellArgs& args,
                                                         const ShellOutput& output,
                                                         StreamState state);
void Fill(const ::agent::v1::BackgroundShellSpawnArgs& args, const BackgroundShellOutput& output,
          ::agent::v1::BackgroundShellSpawnResult& result);
void Fill(const ::agent::v1::WriteShellStdinArgs& args, const WriteShellStdinOutput& output,
          ::agent::v1::WriteShellStdinResult& result);

// The web, the editor, MCP servers, the screen.
void Fill(const ::agent::v1::FetchArgs& args, const FetchOutput& output,
          ::agent::v1::FetchResult& result);
void Fill(const ::agent::v1::DiagnosticsArgs& args, const DiagnosticsOutput& output,
          ::agent::v1::DiagnosticsResult& result);
void Fill(const ListMcpResourcesOutput& output, ::agent::v1::ListMcpResourcesExecResult& result);
void Fill(const ::agent::v1::ReadMcpResourceExecArgs& args, const ReadMcpResourceOutput& output,
          ::agent::v1::ReadMcpResourceExecResult& result);
void Fill(const ::agent::v1::RecordScreenArgs& args, const RecordScreenOutput& output,
          ::agent::v1::RecordScreenResult& result);
void Fill(const ComputerUseOutput& output, ::agent::v1::ComputerUseResult& result);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_SUCCESS_FILL_H_
