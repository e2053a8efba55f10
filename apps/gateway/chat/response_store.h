#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/message.h"
#include "http/event_loop.h"
#include "openai/responses_request.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

// What a request names that was said before.
inline constexpr size_t kMaxFormerBytes = size_t{64} * 1024 * 1024;

// A conversation up to and with a response. A value.
struct KeptResponse {
  // All but instructions, which belong to one request alone.
  std::vector<Message> messages{};
  // Its name, of ConversationKey, with the rules that were in force: those of the next request may
  // be others. Empty: it was kept without, as by older versions.
  std::string name{};
  // Digests of the rules that the request itself had, in their order. Empty: it had none, or it was
  // kept by an older version.
  std::vector<std::string> own_rules{};
};

// What a request goes on from, as far as it is known and the client's own. A value.
struct FormerResponses {
  // The response that it names; nullopt: there is none.
  std::optional<KeptResponse> response{};
  // Those of the items that it names, by their ids.
  std::map<std::string, nlohmann::json> items{};
  size_t bytes = 0;  // what was read
};

// Keeps responses, for requests that go on by their ids or name their items. On the loop's thread.
class ResponseStore {
 public:
  using Found = std::function<void(absl::StatusOr<FormerResponses>)>;

  // Both outlive it.
  ResponseStore(EventLoop& loop, StateKeeper& state) : loop_(loop), state_(state) {}

  // `output`: the items of the response. `kept`: it is in a safe place, or cannot get there.
  void Put(const std::string& id, const std::string& client_key, const KeptResponse& response,
           const nlohmann::json& output, const std::function<void()>& kept);

  // Reads all that a request names in one step, one request after the other, so that no more than
  // one has what nobody has counted yet. Calls `done` at once if that is nothing, and not at all
  // once `gone` is true. What is not known is no error.
  //   kOutOfRange  it is over kMaxFormerBytes
  //   others       as of StateKeeper: the state cannot be asked
  void Find(const ResponseReferences& references, const std::string& client_key,
            std::shared_ptr<const bool> gone, Found done);

 private:
  struct Search {
    std::vector<StateKey> keys;
    std::string client_key;
    std::shared_ptr<const bool> gone;
    Found done;
  };

  void SearchNext();
  void Tell(const Search& search, absl::StatusOr<StateStore::Entries> entries);
  FormerResponses ReadAll(const std::vector<StateKey>& keys, StateStore::Entries entries);
  void Read(const StateKey& key, StateEntry entry, FormerResponses& former);

  EventLoop& loop_;
  StateKeeper& state_;
  std::deque<Search> searches_;  // the first is under way
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_STORE_H_
