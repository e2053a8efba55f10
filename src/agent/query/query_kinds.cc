#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

// Each entry is a row of docs/protocol.md, interaction queries.
constexpr const QueryKind* kQueryKinds[] = {
    &kWebSearchQuery,   &kAskQuestionQuery, &kSwitchModeQuery,    &kExaSearchQuery,
    &kExaFetchQuery,    &kCreatePlanQuery,  &kSetupVmQuery,       &kWebFetchQuery,
    &kPullRequestQuery, &kMcpAuthQuery,     &kGenerateImageQuery, &kReplaceEnvQuery,
};

}  // namespace

const QueryKind* FindQueryKind(::agent::v1::InteractionQuery::QueryCase query) {
  for (const QueryKind* kind : kQueryKinds) {
    if (kind->query == query) return kind;
  }
  return nullptr;
}

}  // namespace cursorwire::agent
