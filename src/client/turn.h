#ifndef CURSORWIRE_SRC_CLIENT_TURN_H_
#define CURSORWIRE_SRC_CLIENT_TURN_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/batch_queue.h"
#include "client/handlers.h"
#include "client/serving.h"
#include "cursorwire/chat_stream.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/run.h"

namespace cursorwire {

// One turn between the holder of the channel's poll role, on whose thread its Run works, the user
// of its ChatStream, and the threads that do what the agent asks for.
class ChatStream::Turn final : public connect::CallObserver,
                               public std::enable_shared_from_this<ChatStream::Turn> {
 public:
  Turn(Run run, size_t window_bytes, Handlers handlers)
      : run_(std::move(run)), handlers_(std::move(handlers)), events_(window_bytes) {}

  // The user's side.
  void set_call(connect::Call call) { user_call_ = std::move(call); }
  const std::string& conversation_id() const { return run_.conversation_id(); }
  std::optional<Element> Next() { return events_.Pop(user_call_); }
  void Cancel();
  // Nobody reads any more.
  void Abandon();
  // In place of a call, for a Run that ended in its constructor.
  void EndWithoutCall();

  // The channel's side.
  connect::CallbackThread callback_thread() const override { return connect::CallbackThread::kAny; }
  void OnStart(const connect::Call& call) override;
  void OnMessage(const connect::MessageView& message) override;
  void OnBatchEnd() override { events_.Flush(); }
  void OnWritable() override;
  void OnAlarm(connect::TimePoint now) override;
  void OnWake(connect::TimePoint now) override;
  void OnEnd(connect::CallEnd end) override;

 private:
  // Does what the run wants and hands its events on. `credit` goes back to the server when the user
  // has taken them; at once if there is none; or, while answers wait to be sent, with those.
  void Pump(size_t credit);
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
  connect::BatchQueue<Element> events_;
  connect::Call user_call_;
  std::atomic<bool> cancel_requested_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_H_
