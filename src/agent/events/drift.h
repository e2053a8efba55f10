#ifndef CURSORWIRE_SRC_AGENT_EVENTS_DRIFT_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_DRIFT_H_

#include <google/protobuf/message.h>

#include <functional>
#include <string_view>

#include "agent/v1/run.pb.h"

namespace cursorwire::agent {

// Calls `found` with the path of each field and of each value of an enum in `message` that the
// schema does not have: "a.b.25" and "a.b=9", `path` in front of it if that is not empty. Elements
// of a list share a path, and none tells of what the fields hold. Bytes that hold a tool call are
// looked into; google.protobuf messages are not, nor bytes that are opaque.
//
// Bounded: the first 256 finds, paths of at most 512 bytes, and tool calls of at most 1 MiB; what
// is over that is not looked into. A path may be found more than once.
void FindDrift(const google::protobuf::Message& message, std::string_view path,
               const std::function<void(std::string_view path)>& found);

// True if FindDrift() has nothing to find in `message`; false if that has to be looked for. It
// knows the small messages that a turn has most of: text, thinking, tokens and signs of life.
bool HasNoDrift(const ::agent::v1::AgentServerMessage& message);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_DRIFT_H_
