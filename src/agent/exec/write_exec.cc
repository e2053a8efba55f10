#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

WriteArgs ToWrite(const pb::WriteArgs& args) {
  // Text in `file_text` or, if that is not empty, bytes. Source: docs/protocol.md, execs.
  return {.path = args.path(),
          .content = args.file_bytes().empty() ? args.file_text() : args.file_bytes(),
          .is_text = args.file_bytes().empty(),
          .return_content = args.return_file_content_after_write()};
}

void FillWrite(const pb::WriteArgs& /*args*/, const WriteOutput& output, pb::WriteResult& result) {
  pb::WriteSuccess& success = *result.mutable_success();
  success.set_path(ToUtf8(output.path));
  success.set_lines_created(ToCount(output.lines));
  success.set_file_size(ToCount(output.file_bytes));
  if (output.content_after) success.set_file_content_after_write(ToUtf8(*output.content_after));
}

void FailWrite(const pb::WriteArgs& args, const ExecFailure& failure, pb::WriteResult& result) {
  const std::string& path = args.path();
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.code == absl::StatusCode::kResourceExhausted) {
    return result.mutable_no_space()->set_path(path);
  }
  FailPath(path, failure, *result.mutable_error());
}

}  // namespace

const ExecKind kWriteExec =
    MakeExecKind<WriteOutput, &pb::ExecServerMessage::write_args,
                 &pb::ExecClientMessage::mutable_write_result, ToWrite, FillWrite, FailWrite>(
        pb::ExecServerMessage::kWriteArgs);

}  // namespace cursorwire::agent
