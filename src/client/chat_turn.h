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

// One turn between the holder of the channel's poll role, on whose thread its Run works, the sink
// of its user, and the threads that do what the agent asks for.
class ChatTurn final : public connect::CallObserver {
 public:
  ChatTurn(Run run, Handlers handlers, std::shared_ptr<ChatSink> sink)
      : run_(std::move(run)), handlers_(std::move(handlers)), sink_(std::move(sink)) {}

  // The user's side.
  void set_call(connect::Call call) { user_call_ = std::move(call); }
  const std::string& conversation_id() const { return run_.conversation_id(); }
  const connect::Call& user_call() const { return user_call_; }
  void Cancel();
  // Nobody reads any more.
  void Abandon();
  // In place of a call, for a Run that ended in its constructor.
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
  // Does what the run wants and hands its events on. `credit` goes back to the server when the user
  // has taken them; at once if there is none; or, while answers wait to be sent, with those.
  void Pump(size_t credit);
  // The first one counts.
  void Close(absl::Status status);
  void SendOutputs();
  bool may_send() const;
  void StartServings();
  // Tells those who do something that nobody waits for any more.
  void StopServings();
  // What was done goes to the server, as far as it reads.
  void TakeAnswers();
  void TakeAnswerOf(Serving& serving, connect::TimePoint now);

  Run run_;  // the role holder's, once the call is started, but for its conversation_id()
  const Handlers handlers_;
  // What is being done, the role holder's. Shared with those who do it.
  std::vector<std::shared_ptr<Serving>> execs_;
  std::vector<std::shared_ptr<Serving>> queries_;
  connect::Call call_;  // the same
  std::optional<connect::TimePoint> alarm_;
  size_t unsent_at_alarm_ = std::numeric_limits<size_t>::max();
  size_t waiting_credit_ = 0;  // of messages whose answers wait for the server to read
  // Of what the user holds. Shared with the sink; none before OnStart().
  std::shared_ptr<connect::internal::CreditAccount> account_;
  const std::shared_ptr<ChatSink> sink_;  // with the user
  bool closed_ = false;
  connect::Call user_call_;
  std::atomic<bool> cancel_requested_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CHAT_TURN_H_
