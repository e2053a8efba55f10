#ifndef CURSORWIRE_SRC_AGENT_QUERY_QUERY_KINDS_H_
#define CURSORWIRE_SRC_AGENT_QUERY_QUERY_KINDS_H_

#include "agent/query/query_kind.h"

namespace cursorwire::agent {

// Each kind is defined in the file of its name.
extern const QueryKind kAskQuestionQuery;
extern const QueryKind kCreatePlanQuery;
extern const QueryKind kExaFetchQuery;
extern const QueryKind kExaSearchQuery;
extern const QueryKind kGenerateImageQuery;
extern const QueryKind kMcpAuthQuery;
extern const QueryKind kPullRequestQuery;
extern const QueryKind kReplaceEnvQuery;
extern const QueryKind kSetupVmQuery;
extern const QueryKind kSwitchModeQuery;
extern const QueryKind kWebFetchQuery;
extern const QueryKind kWebSearchQuery;

// nullptr: an unknown question.
const QueryKind* FindQueryKind(::agent::v1::InteractionQuery::QueryCase query);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_QUERY_KINDS_H_
