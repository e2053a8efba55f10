#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openai/message.h"

namespace cursor_gateway {

inline constexpr size_t kMaxResponses = 1000;
inline constexpr size_t kMaxResponsesBytes = size_t{64} * 1024 * 1024;

// What was said up to and with a response, for requests that go on by its id. In memory; the oldest
// make room. On the loop's thread.
class ResponseStore {
 public:
  // `output`: the items of the response.
  void Put(const std::string& id, const std::string& client_key, std::vector<Message> messages,
           nlohmann::json output);
  // nullptr: there is none, or it is another client's.
  const std::vector<Message>* Find(const std::string& id, const std::string& client_key) const;

  // An item of the output of such a response, by its id.
  std::optional<nlohmann::json> FindItem(const std::string& id,
                                         const std::string& client_key) const;

 private:
  struct Entry {
    std::string client_key;
    std::vector<Message> messages;
    nlohmann::json output;
    size_t bytes = 0;
  };

  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> responses_of_items_;  // ids of both
  std::deque<std::string> order_;                          // oldest first
  size_t bytes_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_
