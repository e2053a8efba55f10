#ifndef CURSORWIRE_APPS_GATEWAY_IDEMPOTENCY_H_
#define CURSORWIRE_APPS_GATEWAY_IDEMPOTENCY_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "http/http_message.h"

namespace cursor_gateway {

inline constexpr std::chrono::minutes kIdempotencyLife{10};
inline constexpr size_t kMaxIdempotencyKeys = 1000;
inline constexpr size_t kMaxIdempotencyBytes = size_t{64} * 1024 * 1024;

// Requests with the header `Idempotency-Key`: the same one that comes twice is done once. On the
// loop's thread. Answers that are streamed, and those that are no 200, are not kept: the next
// request with the key is done again.
class Idempotency {
 public:
  explicit Idempotency(EventLoop& loop) : loop_(loop) {}

  // What to answer in place of `exchange`, which tells by its head, its body and `client_key` what
  // is asked; nullptr: it was answered here. Without the header, `exchange` itself.
  std::shared_ptr<HttpExchange> Begin(std::shared_ptr<HttpExchange> exchange,
                                      const std::string& client_key);

 private:
  class Recorder;
  struct Entry {
    std::string body_digest;
    std::optional<HttpAnswer> answer{};  // nullopt: it is being made
    TimePoint since{};
  };

  void Keep(const std::string& name, const HttpAnswer& answer);
  void Forget(const std::string& name);
  void DropOld();

  EventLoop& loop_;
  // By client, path and key.
  std::map<std::string, Entry> entries_;
  size_t bytes_ = 0;
  // Recorders ask whether this is still there.
  std::shared_ptr<Idempotency*> self_ = std::make_shared<Idempotency*>(this);
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_IDEMPOTENCY_H_
