#include "client/model_fetch.h"

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "agent/events/error_message.h"
#include "agent/models/model_calls.h"
#include "agent/models/model_catalog.h"
#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/redactor.h"

namespace cursorwire {
namespace {

using Body = absl::StatusOr<std::string>;

// Receives the one message of a unary call; no thread has to wait in the call.
class UnaryObserver final : public connect::CallObserver {
 public:
  std::future<Body> result() { return result_.get_future(); }

  void OnMessage(const connect::MessageView& message) override { body_ = message.bytes; }
  void OnEnd(connect::CallEnd end) override {
    if (end.status.ok()) {
      result_.set_value(std::move(body_));
    } else {
      result_.set_value(agent::WithErrorDetails(end.status));
    }
  }

 private:
  std::string body_;  // used by the channel's thread
  std::promise<Body> result_;
};

// One that has begun.
class UnaryCall {
 public:
  UnaryCall(const connect::Channel& channel, const connect::CallRequest& request,
            std::string message, const std::stop_token& stop)
      : UnaryCall(std::make_shared<UnaryObserver>(), channel, request, std::move(message), stop) {}

  Body Wait() { return result_.get(); }

 private:
  UnaryCall(std::shared_ptr<UnaryObserver> observer, const connect::Channel& channel,
            const connect::CallRequest& request, std::string message, const std::stop_token& stop)
      : result_(observer->result()),
        call_(channel.Start(request, std::move(observer))),
        cancel_(stop, [call = call_] { call.Cancel(); }) {
    // Fails only if the call has ended; OnEnd() has reported why.
    (void)call_.Send(std::move(message));
  }

  std::future<Body> result_;
  connect::Call call_;
  std::stop_callback<std::function<void()>> cancel_;
};

template <typename T>
absl::StatusOr<T> Decoded(Body body, absl::StatusOr<T> (*decode)(std::string_view),
                          std::string_view name) {
  if (!body.ok()) return Annotate(body.status(), name);
  absl::StatusOr<T> value = decode(*body);
  if (!value.ok()) return Annotate(value.status(), name);
  return value;
}

// How informative an error is: what the server said counts more than a failure to reach it.
int Weight(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kUnauthenticated) return 3;
  const auto info = connect::GetErrorInfo(status);
  if (!info) return 0;
  switch (info->origin) {
    case connect::ErrorOrigin::kServer:
      return 2;
    case connect::ErrorOrigin::kProtocol:
      return 1;
    case connect::ErrorOrigin::kTransport:
    case connect::ErrorOrigin::kLocal:
      return 0;
  }
  return 0;
}

}  // namespace

absl::StatusOr<ModelList> FetchModels(const ModelHosts& hosts, const RunOptions& options,
                                      IdSource& ids, const std::stop_token& stop) {
  UnaryCall usable_call(hosts.agent, agent::UsableModelsCall(options, ids.Uuid()), "", stop);
  UnaryCall available_call(hosts.api, agent::AvailableModelsCall(options, ids.Uuid()),
                           EncodeAvailableModelsRequest(AvailableModelsRequest()), stop);
  const auto usable = Decoded(usable_call.Wait(), agent::DecodeUsableModels, "GetUsableModels");
  const auto available =
      Decoded(available_call.Wait(), agent::DecodeAvailableModels, "AvailableModels");
  if (stop.stop_requested() && !(usable.ok() && available.ok())) {
    return LocalError(absl::StatusCode::kCancelled, "stopped");
  }
  const connect::Redactor redactor({options.token});
  if (!usable.ok() && !available.ok()) {
    const bool second = Weight(available.status()) > Weight(usable.status());
    return redactor.Redact(second ? available.status() : usable.status());
  }
  ModelList list;
  for (const absl::Status& status : {usable.status(), available.status()}) {
    if (!status.ok()) list.failures.push_back(redactor.Redact(status));
  }
  list.models = agent::MergeModels(usable.ok() ? *usable : std::vector<agent::UsableModel>(),
                                   available.ok() ? *available : AvailableModelsResponse());
  return list;
}

}  // namespace cursorwire
