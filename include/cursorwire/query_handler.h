#ifndef CURSORWIRE_QUERY_HANDLER_H_
#define CURSORWIRE_QUERY_HANDLER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <stop_token>

#include "cursorwire/export.h"
#include "cursorwire/query.h"

namespace cursorwire {

// Answers the agent's questions in place of the user, or asks the user. What is not overridden is
// rejected, as without a handler, except for SetupVm(), which is told that there is nothing to do.
//
// OK approves. Any other status rejects, and the agent is told its message as the reason.
// Threads and `stop`: as of ExecHandler.
class CURSORWIRE_EXPORT QueryHandler {
 public:
  virtual ~QueryHandler() = default;

  virtual absl::Status WebSearch(const WebSearchQuery& query, std::stop_token stop);
  // Once approved, the page is asked for by ExecHandler::Fetch(), or read by the service.
  virtual absl::Status WebFetch(const WebFetchQuery& query, std::stop_token stop);
  virtual absl::Status SwitchMode(const SwitchModeQuery& query, std::stop_token stop);
  virtual absl::Status GenerateImage(const GenerateImageQuery& query, std::stop_token stop);
  virtual absl::Status McpAuth(const McpAuthQuery& query, std::stop_token stop);
  virtual absl::StatusOr<QuestionAnswers> AskQuestion(const AskQuestionQuery& query,
                                                      std::stop_token stop);
  virtual absl::StatusOr<PlanAccepted> CreatePlan(const CreatePlanQuery& query,
                                                  std::stop_token stop);
  // The protocol has no way to refuse it: a status ends the turn.
  virtual absl::Status SetupVm(const SetupVmQuery& query, std::stop_token stop);
  virtual absl::StatusOr<EnvReplaced> ReplaceEnv(const ReplaceEnvQuery& query,
                                                 std::stop_token stop);
  virtual absl::StatusOr<PullRequestDone> PullRequest(const PullRequestQuery& query,
                                                      std::stop_token stop);
};

// Calls the function of `handler` that the query is for. An exception of the handler becomes
// kUnknown.
CURSORWIRE_EXPORT absl::StatusOr<QueryOutput> CallQueryHandler(QueryHandler& handler,
                                                               const QueryArgs& query,
                                                               std::stop_token stop);

}  // namespace cursorwire

#endif  // CURSORWIRE_QUERY_HANDLER_H_
