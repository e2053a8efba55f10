#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_KINDS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_KINDS_H_

#include <span>

#include "agent/exec/exec_kind.h"

namespace cursorwire::agent {

// Each kind is defined in the file of its name.
extern const ExecKind kReadExec;
extern const ExecKind kRedactedReadExec;
extern const ExecKind kLsExec;
extern const ExecKind kGrepExec;
extern const ExecKind kWriteExec;
extern const ExecKind kDeleteExec;
extern const ExecKind kShellExec;
extern const ExecKind kShellStreamExec;
extern const ExecKind kBackgroundShellExec;
extern const ExecKind kShellStdinExec;
extern const ExecKind kFetchExec;
extern const ExecKind kDiagnosticsExec;
extern const ExecKind kListMcpResourcesExec;
extern const ExecKind kReadMcpResourceExec;
extern const ExecKind kMcpStateExec;
extern const ExecKind kRecordScreenExec;
extern const ExecKind kComputerUseExec;
extern const ExecKind kToolCallExec;

std::span<const ExecKind* const> ExecKinds();
// nullptr: execs of this kind have no result type of their own.
const ExecKind* FindExecKind(::agent::v1::ExecServerMessage::MessageCase message);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_KINDS_H_
