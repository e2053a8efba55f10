#include "agent/query/query_args.h"

#include <google/protobuf/util/json_util.h>

#include <string>
#include <utility>

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Query = pb::InteractionQuery;

WebSearchQuery WebSearch(const pb::WebSearchArgs& args) {
  return {.search_term = args.search_term(), .call_id = args.tool_call_id()};
}

WebFetchQuery WebFetch(const pb::WebFetchArgs& args) {
  return {.url = args.url(), .call_id = args.tool_call_id()};
}

SwitchModeQuery SwitchMode(const pb::SwitchModeArgs& args) {
  return {.target_mode = args.target_mode_id(),
          .explanation = args.explanation(),
          .call_id = args.tool_call_id()};
}

GenerateImageQuery GenerateImage(const pb::GenerateImageRequestQuery& query) {
  const pb::GenerateImageArgs& args = query.args();
  return {.description = args.description(),
          .file_path = args.file_path(),
          .reference_image_paths = {args.reference_image_paths().begin(),
                                    args.reference_image_paths().end()},
          .call_id = query.tool_call_id()};
}

McpAuthQuery McpAuth(const pb::McpAuthArgs& args) {
  return {.server = args.server_identifier(), .call_id = args.tool_call_id()};
}

AskQuestionQuery AskQuestion(const pb::AskQuestionInteractionQuery& query) {
  AskQuestionQuery ask{.title = query.args().title(), .call_id = query.tool_call_id()};
  for (const pb::AskQuestionArgs::Question& question : query.args().questions()) {
    AskQuestionQuery::Question& to = ask.questions.emplace_back();
    to = {.id = question.id(),
          .prompt = question.prompt(),
          .allow_multiple = question.allow_multiple()};
    for (const pb::AskQuestionArgs::Option& option : question.options()) {
      to.options.push_back({.id = option.id(), .label = option.label()});
    }
  }
  return ask;
}

CreatePlanQuery CreatePlan(const pb::CreatePlanRequestQuery& query) {
  const pb::CreatePlanArgs& args = query.args();
  CreatePlanQuery plan{.name = args.name(),
                       .overview = args.overview(),
                       .plan = args.plan(),
                       .call_id = query.tool_call_id()};
  const auto add = [&plan](const auto& todos) {
    for (const pb::TodoItem& todo : todos) plan.todos.push_back(todo.content());
  };
  add(args.todos());
  for (const pb::Phase& phase : args.phases()) add(phase.todos());
  return plan;
}

SetupVmQuery SetupVm(const pb::SetupVmEnvironmentArgs& args) {
  return {.install_command = args.install_command(),
          .start_command = args.start_command(),
          .dockerfile = args.dockerfile_contents()};
}

ReplaceEnvQuery ReplaceEnv(const pb::ReplaceEnvConfig& config) {
  return {.install_script = config.install_script(), .dockerfile = config.dockerfile_contents()};
}

PullRequestQuery PullRequest(const pb::PrManagementArgs& args) {
  PullRequestQuery query{.creates = args.has_create_pr(), .call_id = args.tool_call_id()};
  // This cannot fail: the message was just parsed.
  if (query.creates) {
    (void)google::protobuf::util::MessageToJsonString(args.create_pr(), &query.details_json);
  } else {
    (void)google::protobuf::util::MessageToJsonString(args.update_pr(), &query.details_json);
  }
  return query;
}

}  // namespace

std::optional<QueryArgs> ToQueryArgs(const Query& query) {
  switch (query.query_case()) {
    case Query::kWebSearchRequestQuery:
      return WebSearch(query.web_search_request_query().args());
    case Query::kAskQuestionInteractionQuery:
      return AskQuestion(query.ask_question_interaction_query());
    case Query::kSwitchModeRequestQuery:
      return SwitchMode(query.switch_mode_request_query().args());
    case Query::kCreatePlanRequestQuery:
      return CreatePlan(query.create_plan_request_query());
    case Query::kSetupVmEnvironmentArgs:
      return SetupVm(query.setup_vm_environment_args());
    case Query::kWebFetchRequestQuery:
      return WebFetch(query.web_fetch_request_query().args());
    case Query::kPrManagementRequestQuery:
      return PullRequest(query.pr_management_request_query().args());
    case Query::kMcpAuthRequestQuery:
      return McpAuth(query.mcp_auth_request_query().args());
    case Query::kGenerateImageRequestQuery:
      return GenerateImage(query.generate_image_request_query());
    case Query::kReplaceEnvArgs:
      return ReplaceEnv(query.replace_env_args().config());
    default:
      return std::nullopt;
  }
}

}  // namespace cursorwire::agent
