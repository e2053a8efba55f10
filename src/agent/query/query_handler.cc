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
  QueryCall(QueryHandler& handler, std::stop_token stop)
      : handler_(handler), stop_(std::move(stop)) {}

  using Result = absl::StatusOr<QueryOutput>;
  Result operator()(const WebSearchQuery& query) {
    return Approval(handler_.WebSearch(query, stop_));
  }
  Result operator()(const WebFetchQuery& query) {
    return Approval(handler_.WebFetch(query, stop_));
  }
  Result operator()(const SwitchModeQuery& query) {
    return Approval(handler_.SwitchMode(query, stop_));
  }
  Result operator()(const GenerateImageQuery& query) {
    return Approval(handler_.GenerateImage(query, stop_));
  }
  Result operator()(const McpAuthQuery& query) { return Approval(handler_.McpAuth(query, stop_)); }
  Result operator()(const AskQuestionQuery& query) { return handler_.AskQuestion(query, stop_); }
  Result operator()(const CreatePlanQuery& query) { return handler_.CreatePlan(query, stop_); }
  Result operator()(const SetupVmQuery& query) { return Approval(handler_.SetupVm(query, stop_)); }
  Result operator()(const ReplaceEnvQuery& query) { return handler_.ReplaceEnv(query, stop_); }
  Result operator()(const PullRequestQuery& query) { return handler_.PullRequest(query, stop_); }

 private:
  static Result Approval(absl::Status status) {
    if (status.ok()) return QueryOutput(QueryApproved{});
    return status;
  }

  QueryHandler& handler_;
  const std::stop_token stop_;
};

}  // namespace

absl::StatusOr<QueryOutput> CallQueryHandler(QueryHandler& handler, const QueryArgs& query,
                                             std::stop_token stop) {
  try {
    return std::visit(QueryCall(handler, std::move(stop)), query);
  } catch (const std::exception& exception) {
    return LocalError(absl::StatusCode::kUnknown,
                      absl::StrCat("the handler threw: ", exception.what()));
  } catch (...) {
    return LocalError(absl::StatusCode::kUnknown, "the handler threw: not a std::exception");
  }
}

absl::Status QueryHandler::WebSearch(const WebSearchQuery& /*query*/, std::stop_token /*stop*/) {
  return Rejection();
}

absl::Status QueryHandler::WebFetch(const WebFetchQuery& /*query*/, std::stop_token /*stop*/) {
  return Rejection();
}

absl::Status QueryHandler::SwitchMode(const SwitchModeQuery& /*query*/, std::stop_token /*stop*/) {
  return Rejection();
}

absl::Status QueryHandler::GenerateImage(const GenerateImageQuery& /*query*/,
                                         std::stop_token /*stop*/) {
  return Rejection();
}

absl::Status QueryHandler::McpAuth(const McpAuthQuery& /*query*/, std::stop_token /*stop*/) {
  return Rejection();
}

absl::StatusOr<QuestionAnswers> QueryHandler::AskQuestion(const AskQuestionQuery& /*query*/,
                                                          std::stop_token /*stop*/) {
  return Rejection();
}

absl::StatusOr<PlanAccepted> QueryHandler::CreatePlan(const CreatePlanQuery& /*query*/,
                                                      std::stop_token /*stop*/) {
  return Rejection();
}

absl::Status QueryHandler::SetupVm(const SetupVmQuery& /*query*/, std::stop_token /*stop*/) {
  return absl::OkStatus();
}

absl::StatusOr<EnvReplaced> QueryHandler::ReplaceEnv(const ReplaceEnvQuery& /*query*/,
                                                     std::stop_token /*stop*/) {
  return Rejection();
}

absl::StatusOr<PullRequestDone> QueryHandler::PullRequest(const PullRequestQuery& /*query*/,
                                                          std::stop_token /*stop*/) {
  return Rejection();
}

}  // namespace cursorwire
