#include "agent/exec/exec_kinds.h"
#include "agent/exec/ls_listing.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

LsArgs ToLs(const pb::LsArgs& args) {
  return {.path = args.path(),
          .ignore = {args.ignore().begin(), args.ignore().end()},
          .timeout = MillisecondsOf(args.timeout_ms())};
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
