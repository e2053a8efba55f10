#include "channel/loop/intercepted_call.h"

#include <absl/strings/str_cat.h>

#include <exception>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "channel/loop/driver.h"
#include "net/poller.h"

namespace cursorwire::connect::internal {

namespace {

constexpr size_t kMaxQuotedBytes = 200;

absl::Status Thrown(std::string_view function, std::string_view what) {
  return LocalError(absl::StatusCode::kInternal,
                    absl::StrCat("an interceptor threw in ", ToAbsl(function),
                                 "(): ", Printable(what, kMaxQuotedBytes)));
}

}  // namespace

InterceptedCall::InterceptedCall(std::span<const std::shared_ptr<Interceptor>> interceptors,
                                 const CallRequest& request, std::shared_ptr<CallObserver> observer,
                                 TimePoint now)
    : interceptors_(interceptors), observer_(std::move(observer)) {
  record_.path = request.path;
  record_.kind = request.kind;
  record_.start = now;
}

absl::Status InterceptedCall::InterceptRequest(Headers& headers) {
  for (size_t i = 0; i < interceptors_.size(); ++i) {
    absl::Status status;
    Guard("OnRequest", [&] { status = interceptors_[i]->OnRequest(record_, headers); });
    status.Update(thrown_);
    if (!status.ok()) {
      interceptors_ = interceptors_.first(i + 1);
      return status;
    }
  }
  return absl::OkStatus();
}

void InterceptedCall::Guard(const char* name, absl::FunctionRef<void()> what) {
  try {
    what();
  } catch (const std::exception& e) {
    thrown_.Update(Thrown(name, e.what()));
  } catch (...) {
    thrown_.Update(Thrown(name, "not a std::exception"));
  }
}

void InterceptedCall::OnStart(const Call& call) {
  call_ = call;
  call_.state_->intercepted = this;
  observer_->OnStart(call);
}

void InterceptedCall::OnSend(std::string_view message) {
  for (const auto& interceptor : interceptors_) {
    Guard("OnSend", [&] { interceptor->OnSend(record_, message); });
  }
  if (!thrown_.ok()) call_.Cancel();
}

void InterceptedCall::OnHead(ResponseHead head) {
  record_.head = net::Now();
  record_.http_status = head.http_status;
  for (size_t i = interceptors_.size(); i-- > 0;) {
    Guard("OnHead", [&] { interceptors_[i]->OnHead(record_, head.headers); });
  }
  if (!thrown_.ok()) call_.Cancel();
  observer_->OnHead(std::move(head));
}

void InterceptedCall::OnMessage(const MessageView& message) {
  ++record_.received.messages;
  record_.received.bytes += message.bytes.size();
  for (size_t i = interceptors_.size(); i-- > 0;) {
    Guard("OnMessage", [&] { interceptors_[i]->OnMessage(record_, message.bytes); });
  }
  if (!thrown_.ok()) call_.Cancel();
  observer_->OnMessage(message);
}

void InterceptedCall::OnEnd(CallEnd end) {
  record_.end = net::Now();
  if (const auto state = std::exchange(call_, Call()).state_) {
    record_.sent = {.messages = state->sent_messages, .bytes = state->sent_bytes};
  }
  for (size_t i = interceptors_.size(); i-- > 0;) {
    if (!thrown_.ok()) end.status = thrown_;
    Guard("OnEnd", [&] { interceptors_[i]->OnEnd(record_, end); });
  }
  if (!thrown_.ok()) end.status = thrown_;
  observer_->OnEnd(std::move(end));
}

}  // namespace cursorwire::connect::internal
