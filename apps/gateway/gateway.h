#ifndef CURSORWIRE_APPS_GATEWAY_GATEWAY_H_
#define CURSORWIRE_APPS_GATEWAY_GATEWAY_H_

#include <cursorwire/client.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api_keys.h"
#include "chat/chat_service.h"
#include "documents/document_service.h"
#include "http/event_loop.h"
#include "http/http_server.h"
#include "idempotency.h"
#include "metrics.h"
#include "model_catalog.h"
#include "origin_check.h"
#include "route.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

// What is written after the last answer has as long, before the process ends.
inline constexpr std::chrono::seconds kLastWrites{5};

struct GatewayOptions {
  ApiKeys keys{};
  OwnNames names{};
  ChatServiceOptions chat{};
  DocumentServiceOptions documents{};
  // What outlives the process; nullptr: what is kept ends with it.
  std::unique_ptr<StateStore> state{};
  // Takes the lines of the access log; empty: there is none.
  std::function<void(const std::string& line)> log{};
};

// What stands behind the server: who may ask, and who answers. On the loop's thread. The loop and
// the client outlive it.
class Gateway final : public HttpHandler {
 public:
  Gateway(EventLoop& loop, const cursorwire::Client& client, GatewayOptions options);
  ~Gateway() override;

  // From now on requests are refused, but those that are being answered go on. Nobody can approve
  // of an action any more.
  void Drain();
  // Ends what is still being answered with an error.
  void EndTurns();
  // Calls `done` once turns whose answers are complete have ended, and what is to be kept of them
  // is written; or after kLastWrites.
  void WhenWritten(std::function<void()> done);

  std::optional<HttpAnswer> OnHead(const HttpHead& head) override;
  std::string OwnerOf(const HttpHead& head) override;
  HttpAnswer OnUnreadable(Unreadable why, const HttpHead& head) override;
  void OnRequest(std::shared_ptr<HttpExchange> exchange) override;

 private:
  absl::Status Check(const HttpHead& head, const Route& route) const;
  absl::Status CheckMethod(const HttpHead& head, const Route& route) const;
  // An answer that no exchange has: with its id, counted and in the log.
  HttpAnswer Recorded(HttpAnswer answer, const HttpHead& head, const Route& route);
  HttpAnswer Refusal(const absl::Status& status, const HttpHead& head, const Route& route);
  void Record(const std::string& id, const HttpHead& head, const Route& route, int status,
              TimePoint start, const std::string& note);
  void AnswerPost(std::shared_ptr<HttpExchange> exchange, const Route& route);
  void AnswerOnce(std::shared_ptr<HttpExchange> exchange, const std::string& client,
                  const Route& route);
  void AwaitTurns(TimePoint deadline, std::function<void()> done);
  void AnswerCount(HttpExchange& exchange) const;
  void AnswerHealth(HttpExchange& exchange) const;
  void AnswerModels(const std::shared_ptr<HttpExchange>& exchange, const Route& route);

  EventLoop& loop_;
  GatewayOptions options_;
  const bool outlives_;  // what is kept is there after the process
  Metrics metrics_;
  StateKeeper state_;
  Idempotency idempotency_;
  ModelCatalog catalog_;
  ChatService chat_;
  DocumentService documents_;
  bool draining_ = false;
  EventLoop::Timer write_timer_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_GATEWAY_H_
