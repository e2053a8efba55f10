#ifndef CURSORWIRE_SRC_AGENT_TRACE_MESSAGE_TREE_H_
#define CURSORWIRE_SRC_AGENT_TRACE_MESSAGE_TREE_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/trace_content.h"

namespace cursorwire::agent {

// The message that `bytes` are in a call of that path. Without a schema for the path, or where the
// bytes are not that message, a message that has unknown fields alone. nullptr: no protobuf at all.
std::unique_ptr<google::protobuf::Message> ParseTracedMessage(std::string_view path, TraceSide from,
                                                              const std::string& bytes);

// What a message is, in one word: the fields of its `oneof`, such as
// "interaction_update.text_delta", else the name of its type; "" if that is not known.
std::string KindOfMessage(const google::protobuf::Message& message);

// The fields as lines, each after `indent` spaces: `name: value`, and those of a message within it
// below its name, further in. What the schema does not have shows its number and wire type. Of a
// long message the first lines, and how many more there are.
std::string MessageTree(const google::protobuf::Message& message, size_t indent);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TRACE_MESSAGE_TREE_H_
