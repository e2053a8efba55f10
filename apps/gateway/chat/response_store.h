#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_

#include <absl/status/status.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openai/message.h"
#include "openai/responses_request.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

inline constexpr size_t kMaxResponses = 1000;
inline constexpr size_t kMaxResponsesBytes = size_t{64} * 1024 * 1024;

// What was said up to and with a response, for requests that go on by its id. In memory, where the
// oldest make room, and in the state. On the loop's thread.
//
// A request that names responses or items: Fetch() brings those into memory that only the state
// has, and then Find() and FindItem() find them.
class ResponseStore {
 public:
  // `state` may be nullptr: then there is the memory alone. It outlives this.
  explicit ResponseStore(StateKeeper* state) : state_(state) {}

  // `output`: the items of the response. `kept`: it is in a safe place, or cannot get there.
  void Put(const std::string& id, const std::string& client_key, std::vector<Message> messages,
           nlohmann::json output, const std::function<void()>& kept);

  // Calls `done` at once if nothing is to be fetched. What is not known is no error.
  //   as of StateStore: the state cannot be asked
  void Fetch(const ResponseReferences& references, const std::string& client_key,
             std::function<void(const absl::Status&)> done);

  // nullptr: there is none, or it is another client's.
  const std::vector<Message>* Find(const std::string& id, const std::string& client_key) const;

  // An item of the output of such a response, by its id; nullptr as above.
  const nlohmann::json* FindItem(const std::string& id, const std::string& client_key) const;

 private:
  struct Entry {
    std::string client_key;
    std::vector<Message> messages;
    nlohmann::json output;
    size_t bytes = 0;
  };

  struct Fetching;

  void Remember(const std::string& id, const std::string& client_key, std::vector<Message> messages,
                nlohmann::json output);
  void Load(const std::string& id, StateEntry entry);
  void FetchItem(const std::shared_ptr<Fetching>& fetching, const std::string& id);
  void FetchResponse(const std::shared_ptr<Fetching>& fetching, const std::string& id);

  StateKeeper* const state_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> responses_of_items_;  // ids of both
  std::deque<std::string> order_;                          // oldest first
  size_t bytes_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_
