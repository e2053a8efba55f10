#ifndef CURSORWIRE_SRC_AGENT_RUN_PROMPT_MESSAGE_H_
#define CURSORWIRE_SRC_AGENT_RUN_PROMPT_MESSAGE_H_

#include <string>
#include <string_view>

namespace cursorwire::agent {

// Root prompt messages, which the server builds the model's prompt from: JSON of one message each.
// Source: docs/protocol.md, root prompt messages.
std::string SystemMessage(std::string_view text);
std::string UserMessage(std::string_view text);
std::string AssistantMessage(std::string_view text);

// "file:///path", with what a URI cannot hold percent-encoded (RFC 3986, RFC 8089).
std::string FileUri(std::string_view path);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_PROMPT_MESSAGE_H_
