#include "agent/exec/exec_kinds.h"

namespace cursorwire::agent {
namespace {

// Each entry is a row of docs/protocol.md, execs.
constexpr const ExecKind* kExecKinds[] = {
    &kReadExec,
    &kRedactedReadExec,
    &kLsExec,
    &kGrepExec,
    &kWriteExec,
    &kDeleteExec,
    &kShellExec,
    &kShellStreamExec,
    &kFetchExec,
    &kBackgroundShellExec,
    &kShellStdinExec,
    &kDiagnosticsExec,
    &kRecordScreenExec,
    &kListMcpResourcesExec,
    &kReadMcpResourceExec,
    &kMcpStateExec,
    &kComputerUseExec,
    &kToolCallExec,
};

}  // namespace

std::span<const ExecKind* const> ExecKinds() { return kExecKinds; }

const ExecKind* FindExecKind(::agent::v1::ExecServerMessage::MessageCase message) {
  for (const ExecKind* kind : kExecKinds) {
    if (kind->message == message) return kind;
  }
  return nullptr;
}

}  // namespace cursorwire::agent
