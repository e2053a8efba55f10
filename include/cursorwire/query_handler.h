// Room: src/agent/query
#ifndef CURSORWIRE_QUERY_HANDLER_H_
#define CURSORWIRE_QUERY_HANDLER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "cursorwire/exec.h"
#include "cursorwire/export.h"
#include "cursorwire/query.h"

namespace cursorwire {

// Answers the agent's questions in place of the user, or asks the user. What is not overridden is
// rejected, as without a handler.
//
// OK approves. Any other status rejects, and the agent is told its message as the reason.
// Threads: as of ExecHandler.
class CURSORWIRE_EXPORT QueryHandler {
 public:
  virtual ~QueryHandler() = default;

  virtual absl::Status WebSearch(const WebSearchQuery& query, const ActionContext& context);
  // Once approved, the page is asked for by ExecHandler::Fetch(), or read by the service.
  virtual absl::Status WebFetch(const WebFetchQuery& query, const ActionContext& context);
  virtual absl::Status SwitchMode(const SwitchModeQuery& query, const ActionContext& context);
  virtual absl::Status GenerateImage(const GenerateImageQuery& query, const ActionContext& context);
  virtual absl::Status McpAuth(const McpAuthQuery& query, const ActionContext& context);
  virtual absl::StatusOr<QuestionAnswers> AskQuestion(const AskQuestionQuery& query,
                                                      const ActionContext& context);
  virtual absl::StatusOr<PlanAccepted> CreatePlan(const CreatePlanQuery& query,
                                                  const ActionContext& context);
  virtual absl::StatusOr<PullRequestDone> PullRequest(const PullRequestQuery& query,
                                                      const ActionContext& context);
};

// Calls the function of `handler` that the query is for. An exception of the handler becomes
// kUnknown.
CURSORWIRE_EXPORT absl::StatusOr<QueryOutput> CallQueryHandler(QueryHandler& handler,
                                                               const QueryArgs& query,
                                                               const ActionContext& context);

}  // namespace cursorwire

#endif  // CURSORWIRE_QUERY_HANDLER_H_
