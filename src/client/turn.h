#ifndef CURSORWIRE_SRC_CLIENT_TURN_H_
#define CURSORWIRE_SRC_CLIENT_TURN_H_

#include <atomic>
#include <optional>
#include <utility>

#include "channel/batch_queue.h"
#include "cursorwire/chat_stream.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/run.h"

namespace cursorwire {

// One turn between the channel's thread, on which its Run works, and the user of its ChatStream.
class ChatStream::Turn final : public connect::CallObserver {
 public:
  Turn(Run run, size_t window_bytes) : run_(std::move(run)), events_(window_bytes) {}

  // The user's side.
  void set_call(connect::Call call) { user_call_ = std::move(call); }
  std::optional<Element> Next() { return events_.Pop(user_call_); }
  void Cancel();
  // Nobody reads any more.
  void Abandon();
  // In place of a call, for a Run that ended in its constructor.
  void EndWithoutCall();

  // The channel's side.
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

  Run run_;             // the channel's thread, once the call is started
  connect::Call call_;  // the same
  std::optional<connect::TimePoint> alarm_;
  size_t waiting_credit_ = 0;  // of messages whose answers wait for the server to read
  connect::BatchQueue<Element> events_;
  connect::Call user_call_;
  std::atomic<bool> cancel_requested_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_H_
