#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

SwitchModeQuery ToSwitchMode(const pb::SwitchModeRequestQuery& query) {
  return {.target_mode = query.args().target_mode_id(),
          .explanation = query.args().explanation(),
          .call_id = query.args().tool_call_id()};
}

}  // namespace

const QueryKind kSwitchModeQuery =
    MakeQueryKind<&pb::InteractionQuery::switch_mode_request_query,
                  &pb::InteractionResponse::mutable_switch_mode_request_response, ToSwitchMode,
                  (Approve<pb::SwitchModeRequestQuery, pb::SwitchModeRequestResponse>)>(
        pb::InteractionQuery::kSwitchModeRequestQuery);

}  // namespace cursorwire::agent
