#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

DeleteArgs ToDelete(const pb::DeleteArgs& args) { return {.path = args.path()}; }

void FillDelete(const pb::DeleteArgs& /*args*/, const DeleteOutput& output,
                pb::DeleteResult& result) {
  pb::DeleteSuccess& success = *result.mutable_success();
  success.set_path(ToUtf8(output.path));
  success.set_deleted_file(ToUtf8(output.deleted_file));
  success.set_file_size(output.file_bytes);
  success.set_prev_content(ToUtf8(output.previous_content));
}

void FailDelete(const pb::DeleteArgs& args, const ExecFailure& failure, pb::DeleteResult& result) {
  const std::string& path = args.path();
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.not_found()) return result.mutable_file_not_found()->set_path(path);
  if (failure.wrong_file()) {
    result.mutable_not_file()->set_path(path);
    return result.mutable_not_file()->set_actual_type(failure.text);
  }
  FailPath(path, failure, *result.mutable_error());
}

}  // namespace

const ExecKind kDeleteExec =
    MakeExecKind<DeleteOutput, &pb::ExecServerMessage::delete_args,
                 &pb::ExecClientMessage::mutable_delete_result, ToDelete, FillDelete, FailDelete>(
        pb::ExecServerMessage::kDeleteArgs);

}  // namespace cursorwire::agent
