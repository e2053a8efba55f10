#ifndef CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_LIST_H_
#define CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_LIST_H_

#include <absl/status/statusor.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "api/message.h"

namespace cursor_gateway {

// The fields `system` and `messages`. A value.
struct MessageList {
  std::vector<Message> messages{};
  std::set<std::string> loaded_tools{};  // that the last results name
};

// `system` may be nullptr.
//   a BadRequest() that names the place
absl::StatusOr<MessageList> ReadMessageList(const nlohmann::json* system,
                                            const nlohmann::json& messages);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGE_LIST_H_
