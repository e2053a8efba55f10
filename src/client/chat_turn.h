#ifndef CURSORWIRE_SRC_CLIENT_CHAT_TURN_H_
#define CURSORWIRE_SRC_CLIENT_CHAT_TURN_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/credit_account.h"
#include "client/chat_sink.h"
#include "client/handlers.h"
#include "client/serving.h"
#include "cursorwire/chat.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/run.h"

namespace cursorwire {

// Connects one turn's parts: the holder of the channel's poll role, on whose thread the Run works;
// the user's sink; and the threads that do what the agent asks for.
class ChatTurn final : public connect::CallObserver {
 public:
  ChatTurn(Run run, Handlers handlers, std::shared_ptr<ChatSink> sink)
      : run_(std::move(run)), handlers_(std::move(handlers)), sink_(std::move(sink)) {}

  // The user's side.
  void set_call(connect::Call call) { user_call_ = std::move(call); }
  const std::string& conversation_id() const { return run_.conversation_id(); }
  const connect::Call& user_call() const { return user_call_; }
  void Cancel();
  // Nobody reads the events any more.
  void Abandon();
  // Used instead of a call if the Run ended in its constructor.
  void EndWithoutCall();

  // The channel's side.
  connect::CallbackThread callback_thread() const override { return sink_->callback_thread(); }
  void OnStart(const connect::Call& call) override;
  void OnMessage(const connect::MessageView& message) override;
  void OnBatchEnd() override { sink_->Flush(); }
  void OnWritable() override;
  void OnAlarm(connect::TimePoint now) override;
  void OnWake(connect::TimePoint now) override;
  void OnEnd(connect::CallEnd end) override;

 private:
  // Does what the run wants and hands its events on. `credit` goes back to the server once the user
  // has taken the events, or at once if there are no events. While answers wait to be sent, it goes
  // back after they are sent.
  void Pump(size_t credit);
  // Only the first call counts.
  void Close(absl::Status status);
  void SendOutputs();
  bool may_send() const;
  void StartServings();
  // Stops work whose answer nobody waits for any more.
  void StopServings();
  // Sends finished work to the server, as long as the server reads.
  void TakeAnswers();
  void TakeAnswerOf(Serving& serving, connect::TimePoint now);

  Run run_;  // used by the role holder once the call has started, except for conversation_id()
  const Handlers handlers_;
  // Work in progress; used by the role holder. Shared with the threads that do it.
  std::vector<std::shared_ptr<Serving>> execs_;
  std::vector<std::shared_ptr<Serving>> queries_;
  connect::Call call_;  // used by the role holder
  std::optional<connect::TimePoint> alarm_;
  size_t unsent_at_alarm_ = std::numeric_limits<size_t>::max();
  size_t waiting_credit_ = 0;  // of messages whose answers cannot be sent yet
  // Credit of the events that the user holds. Shared with the sink; null before OnStart().
  std::shared_ptr<connect::internal::CreditAccount> account_;
  const std::shared_ptr<ChatSink> sink_;  // shared with the user
  bool closed_ = false;
  connect::Call user_call_;
  std::atomic<bool> cancel_requested_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CHAT_TURN_H_
