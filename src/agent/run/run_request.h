#ifndef CURSORWIRE_SRC_AGENT_RUN_RUN_REQUEST_H_
#define CURSORWIRE_SRC_AGENT_RUN_RUN_REQUEST_H_

#include <absl/status/status.h>

#include "agent/tools/tool_offer.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/chat.h"
#include "cursorwire/id_source.h"
#include "cursorwire/run.h"
#include "cursorwire/run_options.h"

namespace cursorwire::agent {

// The first message of a run. Source: docs/protocol.md, first message.

//   kInvalidArgument  the service would not understand the request; the message says what is wrong
absl::Status CheckRunRequest(const ChatRequest& request, const RunConversation& conversation);

// The first message of a checked request; puts the blobs that the message names into `blobs`.
::agent::v1::AgentClientMessage MakeRunRequest(const ChatRequest& request,
                                               const RunConversation& conversation,
                                               const Environment& environment,
                                               const ToolOffer& tools, IdSource& ids,
                                               BlobStore& blobs);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_RUN_REQUEST_H_
