#include "agent/query/query.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <variant>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Query = pb::InteractionQuery;
using Output = absl::StatusOr<QueryOutput>;

constexpr char kReason[] = "There is no user to ask.";
constexpr char kWrongOutput[] = "The client has no answer of this kind.";

// nullptr: the answer is a no.
template <typename T>
const T* Yes(const Output& output) {
  return output.ok() ? std::get_if<T>(&*output) : nullptr;
}

std::string Reason(const Output& output) {
  return output.ok() ? kWrongOutput : ToUtf8(ToStd(output.status().message()));
}

// Fills an answer that approves or rejects.
template <typename Response>
void FillApproval(const Output& output, Response& response) {
  if (Yes<QueryApproved>(output) != nullptr) {
    response.mutable_approved();
  } else {
    response.mutable_rejected()->set_reason(Reason(output));
  }
}

void Fill(const Output& output, pb::AskQuestionResult& result) {
  const auto* yes = Yes<QuestionAnswers>(output);
  if (yes == nullptr) return result.mutable_error()->set_error_message(Reason(output));
  result.mutable_success();
  for (const QuestionAnswers::Answer& answer : yes->answers) {
    pb::AskQuestionSuccess::Answer& to = *result.mutable_success()->add_answers();
    to.set_question_id(ToUtf8(answer.question_id));
    for (const std::string& id : answer.option_ids) to.add_selected_option_ids(ToUtf8(id));
    to.set_freeform_text(ToUtf8(answer.text));
  }
}

void Fill(const Output& output, pb::CreatePlanResult& result) {
  const auto* yes = Yes<PlanAccepted>(output);
  if (yes == nullptr) return result.mutable_error()->set_error(Reason(output));
  result.mutable_success();
  result.set_plan_uri(ToUtf8(yes->plan_uri));
}

void Fill(const Output& output, pb::PrManagementResult& result) {
  const auto* yes = Yes<PullRequestDone>(output);
  if (yes == nullptr) return result.mutable_rejected()->set_reason(Reason(output));
  result.mutable_success()->set_pr_url(ToUtf8(yes->url));
  result.mutable_success()->set_pr_number(yes->number);
  result.mutable_success()->set_message(ToUtf8(yes->message));
}

void Fill(const Output& output, pb::ReplaceEnvResult& result) {
  const auto* yes = Yes<EnvReplaced>(output);
  if (yes == nullptr) return result.mutable_failure()->set_error_message(Reason(output));
  result.mutable_success()->set_setup_logs(ToUtf8(yes->logs));
}

// Guess: what is approved is the description that was asked for, since an empty one might replace
// it.
void FillImage(const pb::GenerateImageArgs& args, const Output& output,
               pb::GenerateImageRequestResponse& response) {
  FillApproval(output, response);
  if (response.has_approved()) response.mutable_approved()->set_description(args.description());
}

absl::Status FillVm(const Output& output, pb::SetupVmEnvironmentResult& result) {
  if (!output.ok()) return output.status();
  if (Yes<QueryApproved>(output) == nullptr) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "an answer to the setup of a machine that is none");
  }
  result.mutable_success();
  return absl::OkStatus();
}

// The answer has the number of the question. One case a row of docs/protocol.md, interaction
// queries.
absl::Status Fill(const Query& query, const Output& output, pb::InteractionResponse& response) {
  switch (query.query_case()) {
    case Query::kWebSearchRequestQuery:
      FillApproval(output, *response.mutable_web_search_request_response());
      break;
    case Query::kAskQuestionInteractionQuery:
      Fill(output, *response.mutable_ask_question_interaction_response()->mutable_result());
      break;
    case Query::kSwitchModeRequestQuery:
      FillApproval(output, *response.mutable_switch_mode_request_response());
      break;
    case Query::kExaSearchRequestQuery:
      FillApproval(output, *response.mutable_exa_search_request_response());
      break;
    case Query::kExaFetchRequestQuery:
      FillApproval(output, *response.mutable_exa_fetch_request_response());
      break;
    case Query::kCreatePlanRequestQuery:
      Fill(output, *response.mutable_create_plan_request_response()->mutable_result());
      break;
    case Query::kSetupVmEnvironmentArgs:
      return FillVm(output, *response.mutable_setup_vm_environment_result());
    case Query::kWebFetchRequestQuery:
      FillApproval(output, *response.mutable_web_fetch_request_response());
      break;
    case Query::kPrManagementRequestQuery:
      Fill(output, *response.mutable_pr_management_result());
      break;
    case Query::kMcpAuthRequestQuery:
      FillApproval(output, *response.mutable_mcp_auth_request_response());
      break;
    case Query::kGenerateImageRequestQuery:
      FillImage(query.generate_image_request_query().args(), output,
                *response.mutable_generate_image_request_response());
      break;
    case Query::kReplaceEnvArgs:
      Fill(output, *response.mutable_replace_env_result());
      break;
    default:
      return LocalError(absl::StatusCode::kUnimplemented,
                        absl::StrCat("the server asked interaction query ", query.id(),
                                     ", of a kind that this client does not know"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<pb::AgentClientMessage> AnswerQuery(const Query& query, const Output& output) {
  pb::AgentClientMessage answer;
  pb::InteractionResponse& response = *answer.mutable_interaction_response();
  response.set_id(query.id());
  if (absl::Status status = Fill(query, output, response); !status.ok()) return status;
  return answer;
}

absl::StatusOr<pb::AgentClientMessage> AnswerQuery(const Query& query) {
  if (query.has_setup_vm_environment_args())
    return AnswerQuery(query, QueryOutput(QueryApproved{}));
  return AnswerQuery(query, LocalError(absl::StatusCode::kPermissionDenied, kReason));
}

}  // namespace cursorwire::agent
