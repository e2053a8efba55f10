#include "collab/oct/login_client.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/error.h"
#include "http/client.h"
#include "http/message.h"
#include "net/poller.h"
#include "net/waker.h"

namespace cursorwire::oct {
namespace {

using LoginOutcome = absl::StatusOr<LoginAnswer>;

// One question after the other.
class LoginExchange {
 public:
  explicit LoginExchange(const LoginOptions& options)
      : ca_pem_(options.ca_pem), connect_timeout_(options.connect_timeout) {}

  // The one before is given up.
  //   else than OK  there is no answer
  absl::Status Start(LoginQuestion question);

  void Watch(net::Poller& poller) {
    if (client_ != nullptr) client_->Watch(poller, true);
  }
  void Handle(const net::Poller& poller) {
    if (client_ != nullptr) client_->Handle(poller);
  }
  std::optional<connect::TimePoint> deadline() const {
    return client_ == nullptr ? std::nullopt : client_->deadline();
  }
  // How the question has ended, once.
  std::optional<LoginOutcome> TakeOutcome();

 private:
  std::optional<LoginOutcome> Take(http::Event event);

  const std::string ca_pem_;
  const std::chrono::milliseconds connect_timeout_;
  std::string url_;  // of `client_`, which is kept for questions of the same
  std::unique_ptr<http::Client> client_;
  uint64_t id_ = 0;
  LoginAnswer answer_;
};

absl::Status LoginExchange::Start(LoginQuestion question) {
  if (client_ != nullptr) client_->Abort(id_);
  if (client_ == nullptr || url_ != question.url) {
    client_.reset();
    absl::StatusOr<std::unique_ptr<http::Client>> client = http::Client::Create(
        {.url = question.url, .connect_timeout = connect_timeout_, .ca_pem = ca_pem_});
    if (!client.ok()) return client.status();
    client_ = *std::move(client);
    url_ = std::move(question.url);
  }
  answer_ = {};
  client_->Start({.id = ++id_,
                  .method = std::move(question.method),
                  .headers = std::move(question.headers),
                  .body = std::move(question.body)});
  return absl::OkStatus();
}

std::optional<LoginOutcome> LoginExchange::TakeOutcome() {
  while (client_ != nullptr) {
    std::optional<http::Event> event = client_->NextEvent();
    if (!event) break;
    if (event->id != id_) continue;
    if (std::optional<LoginOutcome> outcome = Take(*std::move(event))) return outcome;
  }
  return std::nullopt;
}

std::optional<LoginOutcome> LoginExchange::Take(http::Event event) {
  if (const auto* const head = std::get_if<http::Head>(&event.what)) {
    answer_.status = head->status;
    return std::nullopt;
  }
  if (const auto* const body = std::get_if<http::Body>(&event.what)) {
    answer_.body += body->bytes;
    if (answer_.body.size() <= kMaxLoginAnswerBytes) return std::nullopt;
    client_->Abort(id_);
    return std::exchange(answer_, {});
  }
  const absl::Status& status = std::get<http::End>(event.what).status;
  if (!status.ok()) return status;
  return std::exchange(answer_, {});
}

// Until neither has anything to say at this time.
void PumpLogin(LoginDialog& dialog, LoginExchange& exchange) {
  const connect::TimePoint now = net::Now();
  while (const std::optional<LoginOutcome> outcome = exchange.TakeOutcome()) {
    if (outcome->ok()) {
      dialog.OnAnswer(**outcome, now);
    } else {
      dialog.OnFailure(outcome->status(), now);
    }
  }
  dialog.OnDeadline(now);
  if (std::optional<LoginQuestion> question = dialog.TakeQuestion(now)) {
    const absl::Status status = exchange.Start(*std::move(question));
    if (!status.ok()) dialog.OnFailure(status, now);
  }
}

std::optional<connect::TimePoint> FirstLoginDeadline(std::optional<connect::TimePoint> one,
                                                     std::optional<connect::TimePoint> other) {
  return one && other ? std::min(one, other) : one ? one : other;
}

}  // namespace

absl::StatusOr<RoomAccess> JoinRoom(const LoginOptions& options, const OnLoginEvent& on_event,
                                    const std::stop_token& stop) {
  absl::StatusOr<LoginDialog> dialog = LoginDialog::Create(options, net::Now());
  if (!dialog.ok()) return dialog.status();
  const absl::StatusOr<std::shared_ptr<net::Waker>> waker = net::Waker::Create();
  if (!waker.ok()) return waker.status();
  const std::stop_callback wake(stop, [waker = *waker] { waker->Wake(); });
  LoginExchange exchange(options);
  net::Poller poller;
  for (;;) {
    PumpLogin(*dialog, exchange);
    while (const std::optional<LoginEvent> event = dialog->TakeEvent()) on_event(*event);
    if (stop.stop_requested()) return CancelledByCaller();
    if (dialog->result()) return *dialog->result();
    poller.Clear();
    poller.Add((*waker)->fd(), net::Poller::Interest::kRead);
    exchange.Watch(poller);
    poller.Wait(FirstLoginDeadline(dialog->deadline(), exchange.deadline()));
    exchange.Handle(poller);
  }
}

}  // namespace cursorwire::oct
