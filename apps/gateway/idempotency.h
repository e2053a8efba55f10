#ifndef CURSORWIRE_APPS_GATEWAY_IDEMPOTENCY_H_
#define CURSORWIRE_APPS_GATEWAY_IDEMPOTENCY_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "http/http_exchange.h"
#include "http/http_message.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

inline constexpr std::chrono::minutes kIdempotencyLife{10};

// Requests with the header `Idempotency-Key`: the same one that comes twice is done once, also by
// other processes that share the state. On the loop's thread. Answers that are streamed, and those
// that are no 200, are not kept: the next request with the key is done again.
//
// A process claims a key in the state before it begins. If it dies, the claim lapses, and the
// request may be done again. An answer is in the state before the client has it. Where the state
// does not answer, this process knows of the key while it answers the request, and no longer.
class Idempotency {
 public:
  // Gets the exchange that is to be answered.
  using Next = std::function<void(std::shared_ptr<HttpExchange>)>;

  // `state` outlives it.
  explicit Idempotency(StateKeeper& state) : state_(state) {}

  // Calls `next`, now or later, with the exchange, which tells by its head, its body and
  // `client_key` what is asked; not where it is answered here, or its client has left.
  void Begin(std::shared_ptr<HttpExchange> exchange, const std::string& client_key, Next next);

 private:
  // A request that is being answered.
  struct Request {
    std::string client_key;
    std::string name;  // by client, path and key
    std::string body_digest;
    Next next;
    std::shared_ptr<HttpExchange> exchange;  // until `next` has it
    bool gone = false;                       // the client has left meanwhile
    std::shared_ptr<StateHold> hold{};       // of the key in the state; nullptr: that is away
  };

  void OnClaimed(const std::shared_ptr<Request>& request, absl::StatusOr<StateClaimed> claimed);
  void Record(const std::shared_ptr<Request>& request);
  // Calls `kept` when it is kept, or cannot be.
  void Keep(const Request& request, const HttpAnswer& answer, std::function<void()> kept);

  StateKeeper& state_;
  std::map<std::string, std::shared_ptr<Request>> requests_;  // by name
  // Exchanges ask whether this is still there.
  std::shared_ptr<Idempotency*> self_ = std::make_shared<Idempotency*>(this);
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_IDEMPOTENCY_H_
