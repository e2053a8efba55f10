#include "agent/query/query_kinds.h"
#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

QueryArgs ToSetupVm(const pb::InteractionQuery& query) {
  const pb::SetupVmEnvironmentArgs& args = query.setup_vm_environment_args();
  return SetupVmQuery{.install_command = args.install_command(),
                      .start_command = args.start_command(),
                      .dockerfile = args.dockerfile_contents()};
}

// The response cannot express a rejection.
absl::Status AnswerSetupVm(const pb::InteractionQuery& /*query*/, const QueryAnswer& answer,
                           pb::InteractionResponse& response) {
  if (!answer.ok()) return answer.status();
  if (YesOf<QueryApproved>(answer) == nullptr) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "the answer to a SetupVmQuery must be QueryApproved or an error");
  }
  response.mutable_setup_vm_environment_result()->mutable_success();
  return absl::OkStatus();
}

}  // namespace

const QueryKind kSetupVmQuery{.query = pb::InteractionQuery::kSetupVmEnvironmentArgs,
                              .to_args = ToSetupVm,
                              .answer = AnswerSetupVm};

}  // namespace cursorwire::agent
