#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

DiagnosticsArgs ToDiagnostics(const pb::DiagnosticsArgs& args) { return {.path = args.path()}; }

void FillDiagnostics(const pb::DiagnosticsArgs& args, const DiagnosticsOutput& output,
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
  success.set_total_diagnostics(ToCount(static_cast<int64_t>(output.diagnostics.size())));
}

void FailDiagnostics(const pb::DiagnosticsArgs& args, const ExecFailure& failure,
                     pb::DiagnosticsResult& result) {
  const std::string& path = args.path();
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.not_found()) return result.mutable_file_not_found()->set_path(path);
  FailPath(path, failure, *result.mutable_error());
}

}  // namespace

const ExecKind kDiagnosticsExec =
    MakeExecKind<DiagnosticsOutput, &pb::ExecServerMessage::diagnostics_args,
                 &pb::ExecClientMessage::mutable_diagnostics_result, ToDiagnostics, FillDiagnostics,
                 FailDiagnostics>(pb::ExecServerMessage::kDiagnosticsArgs);

}  // namespace cursorwire::agent
