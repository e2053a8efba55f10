#ifndef CURSORWIRE_SRC_AGENT_RUN_REQUEST_CONTEXT_H_
#define CURSORWIRE_SRC_AGENT_RUN_REQUEST_CONTEXT_H_

#include "agent/tools/tool_offer.h"
#include "agent/v1/context.pb.h"
#include "cursorwire/chat.h"
#include "cursorwire/run_options.h"

namespace cursorwire::agent {

// What the server is told when it asks for the request context.
// Source: docs/protocol.md, request context.
::agent::v1::RequestContext MakeRequestContext(const ChatRequest& request,
                                               const Environment& environment,
                                               const ToolOffer& tools);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_REQUEST_CONTEXT_H_
