#ifndef CURSORWIRE_APPS_GATEWAY_API_CONVERSATION_KEY_H_
#define CURSORWIRE_APPS_GATEWAY_API_CONVERSATION_KEY_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/message.h"

namespace cursor_gateway {

// What a ConversationKey takes of a message. To be made once of each: arguments are parsed for it.
//
// In it: role; text, with blanks at its end cut; digests of images; calls as name and arguments;
// results. Arguments have sorted members and numbers as doubles, but those that are longer than
// kMaxHistoryArgumentsBytes as they came are in it as they are. Not in it: ids of calls, which
// clients rewrite. A value.
struct MessageDigest {
  std::string value{};  // 32 bytes
};
MessageDigest DigestOf(const Message& message);
std::vector<MessageDigest> DigestsOf(const std::vector<Message>& messages);

// Names what was said up to some message, for one owner: two requests that hold the same
// conversation have the same key, also where a client has written it in another form. A value.
class ConversationKey {
 public:
  // `owner` is the API key of the client, or empty; `request_rules` are those beside the messages,
  // which the state of the service has, too.
  ConversationKey(std::string_view owner, std::string_view rules,
                  std::string_view request_rules = "");

  void Add(const MessageDigest& message);
  void Add(const std::vector<MessageDigest>& messages);

  // 32 bytes.
  const std::string& value() const { return value_; }

 private:
  std::string value_;  // the digest of the one before and of the message
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_CONVERSATION_KEY_H_
