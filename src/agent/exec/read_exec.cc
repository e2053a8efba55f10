#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ReadArgs ToRead(const pb::ReadArgs& args) {
  ReadArgs read{.path = args.path()};
  if (args.has_offset()) read.offset = args.offset();
  if (args.has_limit()) read.limit = args.limit();
  return read;
}

void FillRead(const pb::ReadArgs& /*args*/, const ReadOutput& output, pb::ReadResult& result) {
  pb::ReadSuccess& success = *result.mutable_success();
  success.set_path(ToUtf8(output.path));
  if (output.is_text && IsUtf8(output.content)) {
    success.set_content(output.content);
  } else {
    success.set_data(output.content);
  }
  success.set_total_lines(ToCount(output.total_lines));
  success.set_file_size(output.file_bytes);
  success.set_truncated(output.truncated);
  success.set_range_applied(output.range_applied);
}

void FailRead(const pb::ReadArgs& args, const ExecFailure& failure, pb::ReadResult& result) {
  const std::string& path = args.path();
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.not_found()) return result.mutable_file_not_found()->set_path(path);
  if (failure.wrong_file()) return RejectPath(path, failure, *result.mutable_invalid_file());
  FailPath(path, failure, *result.mutable_error());
}

}  // namespace

const ExecKind kReadExec =
    MakeExecKind<ReadOutput, &pb::ExecServerMessage::read_args,
                 &pb::ExecClientMessage::mutable_read_result, ToRead, FillRead, FailRead>(
        pb::ExecServerMessage::kReadArgs);

const ExecKind kRedactedReadExec =
    MakeExecKind<ReadOutput, &pb::ExecServerMessage::redacted_read_args,
                 &pb::ExecClientMessage::mutable_redacted_read_result, ToRead, FillRead, FailRead>(
        pb::ExecServerMessage::kRedactedReadArgs);

}  // namespace cursorwire::agent
