#include "cursorwire/query_handler.h"

#include <absl/strings/str_cat.h>

#include <exception>
#include <utility>
#include <variant>

#include "base/error.h"

namespace cursorwire {
namespace {

// The model reads this as the reason.
absl::Status Rejection() {
  return LocalError(absl::StatusCode::kPermissionDenied, "There is no user to ask.");
}

// One overload for each kind, from which std::visit picks.
class QueryCall {
 public:
  QueryCall(QueryHandler& handler, const ActionContext& context)
      : handler_(handler), context_(context) {}

  using Result = absl::StatusOr<QueryOutput>;
  Result operator()(const WebSearchQuery& query) {
    return Approval(handler_.WebSearch(query, context_));
  }
  Result operator()(const WebFetchQuery& query) {
    return Approval(handler_.WebFetch(query, context_));
  }
  Result operator()(const SwitchModeQuery& query) {
    return Approval(handler_.SwitchMode(query, context_));
  }
  Result operator()(const GenerateImageQuery& query) {
    return Approval(handler_.GenerateImage(query, context_));
  }
  Result operator()(const McpAuthQuery& query) {
    return Approval(handler_.McpAuth(query, context_));
  }
  Result operator()(const AskQuestionQuery& query) { return handler_.AskQuestion(query, context_); }
  Result operator()(const CreatePlanQuery& query) { return handler_.CreatePlan(query, context_); }
  Result operator()(const PullRequestQuery& query) { return handler_.PullRequest(query, context_); }

 private:
  static Result Approval(absl::Status status) {
    if (status.ok()) return QueryOutput(QueryApproved{});
    return status;
  }

  QueryHandler& handler_;
  const ActionContext& context_;
};

}  // namespace

absl::StatusOr<QueryOutput> CallQueryHandler(QueryHandler& handler, const QueryArgs& query,
                                             const ActionContext& context) {
  try {
    return std::visit(QueryCall(handler, context), query);
  } catch (const std::exception& exception) {
    return LocalError(absl::StatusCode::kUnknown,
                      absl::StrCat("the handler threw: ", exception.what()));
  } catch (...) {
    return LocalError(absl::StatusCode::kUnknown, "the handler threw: not a std::exception");
  }
}

absl::Status QueryHandler::WebSearch(const WebSearchQuery& /*query*/,
                                     const ActionContext& /*context*/) {
  return Rejection();
}

absl::Status QueryHandler::WebFetch(const WebFetchQuery& /*query*/,
                                    const ActionContext& /*context*/) {
  return Rejection();
}

absl::Status QueryHandler::SwitchMode(const SwitchModeQuery& /*query*/,
                                      const ActionContext& /*context*/) {
  return Rejection();
}

absl::Status QueryHandler::GenerateImage(const GenerateImageQuery& /*query*/,
                                         const ActionContext& /*context*/) {
  return Rejection();
}

absl::Status QueryHandler::McpAuth(const McpAuthQuery& /*query*/,
                                   const ActionContext& /*context*/) {
  return Rejection();
}

absl::StatusOr<QuestionAnswers> QueryHandler::AskQuestion(const AskQuestionQuery& /*query*/,
                                                          const ActionContext& /*context*/) {
  return Rejection();
}

absl::StatusOr<PlanAccepted> QueryHandler::CreatePlan(const CreatePlanQuery& /*query*/,
                                                      const ActionContext& /*context*/) {
  return Rejection();
}

absl::StatusOr<PullRequestDone> QueryHandler::PullRequest(const PullRequestQuery& /*query*/,
                                                          const ActionContext& /*context*/) {
  return Rejection();
}

}  // namespace cursorwire
