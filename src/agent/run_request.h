#ifndef CURSORWIRE_SRC_AGENT_RUN_REQUEST_H_
#define CURSORWIRE_SRC_AGENT_RUN_REQUEST_H_

#include "agent/blob_store.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/chat.h"
#include "cursorwire/id_source.h"

namespace cursorwire::agent {

// The first message of a run; the blobs that it names are put into `blobs`.
// Source: docs/protocol.md, first message.
::agent::v1::AgentClientMessage MakeRunRequest(const ChatRequest& request, IdSource& ids,
                                               BlobStore& blobs);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_REQUEST_H_
