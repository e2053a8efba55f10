#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

TodoStatus ToTodoStatus(pb::TodoStatus status) {
  switch (status) {
    case pb::TODO_STATUS_IN_PROGRESS:
      return TodoStatus::kInProgress;
    case pb::TODO_STATUS_COMPLETED:
      return TodoStatus::kCompleted;
    case pb::TODO_STATUS_CANCELLED:
      return TodoStatus::kCancelled;
    default:
      return TodoStatus::kPending;
  }
}

CreatePlanQuery ToCreatePlan(const pb::CreatePlanRequestQuery& query) {
  const pb::CreatePlanArgs& args = query.args();
  CreatePlanQuery plan{.name = args.name(),
                       .overview = args.overview(),
                       .plan = args.plan(),
                       .call_id = query.tool_call_id()};
  const auto add = [&plan](const auto& todos) {
    for (const pb::TodoItem& todo : todos) {
      plan.todos.push_back(todo.content());
      plan.todo_items.push_back(
          {.id = todo.id(),
           .content = todo.content(),
           .status = ToTodoStatus(todo.status()),
           .dependencies = {todo.dependencies().begin(), todo.dependencies().end()}});
    }
  };
  add(args.todos());
  for (const pb::Phase& phase : args.phases()) add(phase.todos());
  return plan;
}

void AnswerCreatePlan(const pb::CreatePlanRequestQuery& /*query*/, const QueryAnswer& answer,
                      pb::CreatePlanRequestResponse& response) {
  pb::CreatePlanResult& result = *response.mutable_result();
  const auto* yes = YesOf<PlanAccepted>(answer);
  if (yes == nullptr) return result.mutable_error()->set_error(ReasonOf(answer));
  result.mutable_success();
  result.set_plan_uri(ToUtf8(yes->plan_uri));
}

}  // namespace

const QueryKind kCreatePlanQuery =
    MakeQueryKind<&pb::InteractionQuery::create_plan_request_query,
                  &pb::InteractionResponse::mutable_create_plan_request_response, ToCreatePlan,
                  AnswerCreatePlan>(pb::InteractionQuery::kCreatePlanRequestQuery);

}  // namespace cursorwire::agent
