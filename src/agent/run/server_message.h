#ifndef CURSORWIRE_SRC_AGENT_RUN_SERVER_MESSAGE_H_
#define CURSORWIRE_SRC_AGENT_RUN_SERVER_MESSAGE_H_

#include <absl/status/status.h>

#include <string_view>

#include "agent/v1/run.pb.h"

namespace cursorwire::agent {

// One message of a run. Text that is only shown may hold bytes that are not UTF-8, which become
// U+FFFD; a message that must be acted on may not.
//   kInternal  the bytes do not parse
absl::Status ParseServerMessage(std::string_view bytes, ::agent::v1::AgentServerMessage& message);

// A heartbeat, or a message that says nothing of its own: the server lives, and no more.
bool IsSignOfLife(const ::agent::v1::AgentServerMessage& message);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_SERVER_MESSAGE_H_
