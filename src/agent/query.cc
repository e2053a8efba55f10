#include "agent/query.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

constexpr char kReason[] = "There is no user to ask.";

// False for a question that is not known. The answer has the number of the question.
bool FillResponse(const pb::InteractionQuery& query, pb::InteractionResponse& response) {
  switch (query.query_case()) {
    case pb::InteractionQuery::kWebSearchRequestQuery:
      response.mutable_web_search_request_response()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::InteractionQuery::kAskQuestionInteractionQuery:
      response.mutable_ask_question_interaction_response()
          ->mutable_result()
          ->mutable_error()
          ->set_error_message(kReason);
      return true;
    case pb::InteractionQuery::kSwitchModeRequestQuery:
      response.mutable_switch_mode_request_response()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::InteractionQuery::kCreatePlanRequestQuery:
      response.mutable_create_plan_request_response()->mutable_result()->mutable_error()->set_error(
          kReason);
      return true;
    case pb::InteractionQuery::kSetupVmEnvironmentArgs:
      response.mutable_setup_vm_environment_result()->mutable_success();
      return true;
    case pb::InteractionQuery::kWebFetchRequestQuery:
      response.mutable_web_fetch_request_response()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::InteractionQuery::kPrManagementRequestQuery:
      response.mutable_pr_management_result()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::InteractionQuery::kMcpAuthRequestQuery:
      response.mutable_mcp_auth_request_response()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::InteractionQuery::kGenerateImageRequestQuery:
      response.mutable_generate_image_request_response()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::InteractionQuery::kReplaceEnvArgs:
      response.mutable_replace_env_result()->mutable_failure()->set_error_message(kReason);
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<pb::AgentClientMessage> AnswerQuery(const pb::InteractionQuery& query) {
  pb::AgentClientMessage answer;
  pb::InteractionResponse& response = *answer.mutable_interaction_response();
  response.set_id(query.id());
  if (FillResponse(query, response)) return answer;
  return LocalError(absl::StatusCode::kUnimplemented,
                    absl::StrCat("the server asked interaction query ", query.id(),
                                 ", of a kind that this client does not know"));
}

}  // namespace cursorwire::agent
