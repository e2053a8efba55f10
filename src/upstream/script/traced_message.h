#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_TRACED_MESSAGE_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_TRACED_MESSAGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "agent/v1/run.pb.h"
#include "cursorwire/script.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// What a question and its answer share: each kind counts its own ids. Blobs are all kGetBlob.
using AskId = std::pair<Ask::Kind, uint32_t>;

// The question that a message of the service asks; nullopt: it asks nothing.
std::optional<AskId> AskedBy(const ::agent::v1::AgentServerMessage& message);
// The question that this message of a client completes the answer to.
std::optional<AskId> AnsweredBy(const ::agent::v1::AgentClientMessage& message);

// Places among the root prompt messages of a request, by the id of the blob.
using RootPrompts = std::map<std::string, int>;
RootPrompts RootPromptsOf(const ::agent::v1::AgentRunRequest& request);

// A script of one step, which sends the message. The step is the one that says most to a reader and
// has the same content, unknown fields included; only those of a KvServerMessage are lost.
Script StepOf(const ::agent::v1::AgentServerMessage& message, const RootPrompts& root_prompts);
// The same for bytes that are no message.
Script StepOfBytes(const std::string& bytes);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_TRACED_MESSAGE_H_
