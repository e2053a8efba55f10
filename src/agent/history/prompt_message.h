#ifndef CURSORWIRE_SRC_AGENT_HISTORY_PROMPT_MESSAGE_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_PROMPT_MESSAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/history.h"

namespace cursorwire::agent {

// Root prompt messages, which the server builds the model's prompt from: JSON of one message each.
// Source: docs/protocol.md, root prompt messages.
std::string SystemMessage(std::string_view text);
std::string UserMessage(std::string_view text);
std::string AssistantMessage(std::string_view text);

// A turn as such messages, in order: what the user asked, then what the agent said and called, and
// what the tools returned. Arguments that are not a JSON object are left out. After a turn that
// was not completed, a message of the user's role says so.
std::vector<std::string> MessagesOf(const HistoryTurn& turn);

// "file:///path", with what a URI cannot hold percent-encoded (RFC 3986, RFC 8089).
std::string FileUri(std::string_view path);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_PROMPT_MESSAGE_H_
