#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ReplaceEnvQuery ToReplaceEnv(const pb::ReplaceEnvArgs& args) {
  const pb::ReplaceEnvConfig& config = args.config();
  return {.install_script = config.install_script(), .dockerfile = config.dockerfile_contents()};
}

void AnswerReplaceEnv(const pb::ReplaceEnvArgs& /*query*/, const QueryAnswer& answer,
                      pb::ReplaceEnvResult& result) {
  const auto* yes = YesOf<EnvReplaced>(answer);
  if (yes == nullptr) return result.mutable_failure()->set_error_message(ReasonOf(answer));
  result.mutable_success()->set_setup_logs(ToUtf8(yes->logs));
}

}  // namespace

const QueryKind kReplaceEnvQuery =
    MakeQueryKind<&pb::InteractionQuery::replace_env_args,
                  &pb::InteractionResponse::mutable_replace_env_result, ToReplaceEnv,
                  AnswerReplaceEnv>(pb::InteractionQuery::kReplaceEnvArgs);

}  // namespace cursorwire::agent
