#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_INTERCEPTED_CALL_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_INTERCEPTED_CALL_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <memory>
#include <span>
#include <string_view>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/interceptor.h"
#include "cursorwire/connect/time_point.h"

namespace cursorwire::connect::internal {

// Stands between the driver and the observer of a call, and tells the interceptors.
class InterceptedCall final : public CallObserver {
 public:
  // `interceptors` are the driver's, who outlives its use of the observer.
  InterceptedCall(std::span<const std::shared_ptr<Interceptor>> interceptors,
                  const CallRequest& request, std::shared_ptr<CallObserver> observer,
                  TimePoint now);

  // Once, before the call is made: asks the interceptors, up to the first that refuses.
  absl::Status InterceptRequest(Headers& headers);
  // A message that is about to be sent. The driver calls it on the role holder's thread.
  void OnSend(std::string_view message);

  // Interceptors are ready for any thread; the observer may not be.
  CallbackThread callback_thread() const override { return observer_->callback_thread(); }
  void OnStart(const Call& call) override;
  void OnHead(ResponseHead head) override;
  void OnMessage(const MessageView& message) override;
  void OnBatchEnd() override { observer_->OnBatchEnd(); }
  void OnWritable() override { observer_->OnWritable(); }
  void OnAlarm(TimePoint now) override { observer_->OnAlarm(now); }
  void OnWake(TimePoint now) override { observer_->OnWake(now); }
  void OnEnd(CallEnd end) override;

 private:
  // Runs `what`; an exception of it becomes the end of the call.
  void Guard(const char* name, absl::FunctionRef<void()> what);

  std::span<const std::shared_ptr<Interceptor>> interceptors_;  // those that saw the request
  const std::shared_ptr<CallObserver> observer_;  // shared with the one that started the call
  CallRecord record_;
  Call call_;
  absl::Status thrown_;  // by an interceptor
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_INTERCEPTED_CALL_H_
