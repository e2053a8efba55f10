#ifndef CURSORWIRE_APPS_GATEWAY_GATEWAY_H_
#define CURSORWIRE_APPS_GATEWAY_GATEWAY_H_

#include <cursorwire/client.h>

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
#include "route.h"

namespace cursor_gateway {

struct GatewayOptions {
  ApiKeys keys{};
  // It listens on this machine alone.
  bool is_loopback = true;
  ChatServiceOptions chat{};
  DocumentServiceOptions documents{};
  // Takes the lines of the access log; empty: there is none.
  std::function<void(const std::string& line)> log{};
};

// What stands behind the server: who may ask, and who answers. On the loop's thread. The loop and
// the client outlive it.
class Gateway final : public HttpHandler {
 public:
  Gateway(EventLoop& loop, const cursorwire::Client& client, GatewayOptions options);
  ~Gateway() override;

  // From now on requests are refused, but those that are being answered go on.
  void Drain();

  std::optional<HttpAnswer> OnHead(const HttpHead& head) override;
  HttpAnswer OnUnreadable(Unreadable why) override;
  void OnRequest(std::shared_ptr<HttpExchange> exchange) override;

 private:
  absl::Status Check(const HttpHead& head, const Route& route) const;
  absl::Status CheckMethod(const HttpHead& head, const Route& route) const;
  // An answer that no exchange has: with its id, counted and in the log.
  HttpAnswer Refusal(const absl::Status& status, const HttpHead& head, const Route& route);
  void Record(const std::string& id, const HttpHead& head, const Route& route, int status,
              TimePoint start);
  std::string ClientOf(const HttpHead& head) const;
  void AnswerPost(std::shared_ptr<HttpExchange> exchange, const Route& route);
  void AnswerHealth(HttpExchange& exchange) const;
  void AnswerModels(const std::shared_ptr<HttpExchange>& exchange, const Route& route);

  EventLoop& loop_;
  GatewayOptions options_;
  Metrics metrics_;
  Idempotency idempotency_;
  ModelCatalog catalog_;
  ChatService chat_;
  DocumentService documents_;
  bool draining_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_GATEWAY_H_
