#ifndef CURSORWIRE_SRC_AGENT_EVENTS_DRIFT_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_DRIFT_H_

#include <google/protobuf/message.h>

#include <functional>
#include <string_view>

#include "agent/v1/run.pb.h"

namespace cursorwire::agent {

// Calls `found` for each field and each enum value in `message` that the schema does not have, with
// its path, such as "a.b.25" or "a.b=9". A non-empty `path` is put in front. Elements of a list
// share a path. Apart from numbers of enum values, paths do not reveal what a field holds. Bytes
// that hold a tool call are parsed and searched too; google.protobuf messages and opaque bytes are
// not.
//
// Bounded: reports the first 256 finds, with paths of at most 512 bytes, and searches tool calls of
// at most 1 MiB; the rest is skipped. The same path may be reported more than once.
void FindDrift(const google::protobuf::Message& message, std::string_view path,
               const std::function<void(std::string_view path)>& found);

// True if FindDrift() is sure to find nothing in `message`; false if it has to be called. A quick
// check for the small messages that make up most of a turn: text, thinking, tokens and heartbeats.
bool HasNoDrift(const ::agent::v1::AgentServerMessage& message);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_DRIFT_H_
