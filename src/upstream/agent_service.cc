#include "upstream/agent_service.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "upstream/account/account_request.h"
#include "upstream/models_service.h"
#include "upstream/run_call.h"
#include "upstream/server/reply.h"
#include "upstream/server/request_check.h"
#include "upstream/server/unary_request.h"

namespace cursorwire::upstream {

// One request: its headers say which method it calls; the handler of that method gets the rest.
class AgentService::Request final : public RequestHandler {
 public:
  Request(AgentService& service, Responder& responder) : service_(service), responder_(responder) {}

  void OnHeaders(const Headers& headers, TimePoint now) override {
    const std::string_view path = headers.Get(":path").value_or("");
    if (service_.account_ != nullptr && IsAccountPath(path)) {
      handler_ =
          std::make_unique<AccountRequest>(responder_, *service_.account_, service_.violations_);
      return handler_->OnHeaders(headers, now);
    }
    const UnaryMethod unary = FindModelsMethod(path);
    const std::optional<Refusal> refusal =
        unary != nullptr ? CheckUnaryRequest(headers) : CheckRunRequest(headers);
    if (refusal) {
      service_.violations_.Add(refusal->message);
      return SendRefusal(*refusal, responder_);
    }
    if (!IsTokenGood(headers)) {
      return SendRefusal({.http_status = 401,
                          .code = "unauthenticated",
                          .message = "the token is not one of this account, or has ended"},
                         responder_);
    }
    if (unary != nullptr) {
      handler_ = std::make_unique<UnaryRequest>(unary, responder_, service_.violations_);
      return;
    }
    handler_ = std::make_unique<RunCall>(responder_, service_.word_interval_, service_.violations_,
                                         service_.runs_);
    handler_->OnHeaders(headers, now);
  }
  void OnBody(std::string_view bytes, TimePoint now) override {
    if (handler_ != nullptr) handler_->OnBody(bytes, now);
  }
  void OnRequestEnd(TimePoint now) override {
    if (handler_ != nullptr) handler_->OnRequestEnd(now);
  }
  std::optional<TimePoint> NextDeadline() const override {
    if (handler_ == nullptr) return std::nullopt;
    return handler_->NextDeadline();
  }
  void OnDeadline(TimePoint now) override {
    if (handler_ != nullptr) handler_->OnDeadline(now);
  }
  void OnClosed() override {
    if (handler_ != nullptr) handler_->OnClosed();
  }

 private:
  bool IsTokenGood(const Headers& headers) const {
    return service_.account_ == nullptr ||
           service_.account_->Accepts(headers.Get("authorization").value_or(""),
                                      std::chrono::system_clock::now());
  }

  AgentService& service_;
  Responder& responder_;
  std::unique_ptr<RequestHandler> handler_;  // null: the request was refused
};

std::unique_ptr<RequestHandler> AgentService::StartRequest(Responder& responder) {
  return std::make_unique<Request>(*this, responder);
}

}  // namespace cursorwire::upstream
