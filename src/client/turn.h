#ifndef CURSORWIRE_SRC_CLIENT_TURN_H_
#define CURSORWIRE_SRC_CLIENT_TURN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "channel/batch_queue.h"
#include "client/exec_worker.h"
#include "cursorwire/chat_stream.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/run.h"

namespace cursorwire {

// One turn between the holder of the channel's poll role, on whose thread its Run works, the user
// of its ChatStream, and the thread that does what the agent asks for.
class ChatStream::Turn final : public connect::CallObserver,
                               public std::enable_shared_from_this<ChatStream::Turn> {
 public:
  // `worker` must live until OnEnd(); nullptr: the run hands out no actions.
  Turn(Run run, size_t window_bytes, ExecWorker* worker)
      : run_(std::move(run)), worker_(worker), events_(window_bytes) {}

  // The user's side.
  void set_call(connect::Call call) { user_call_ = std::move(call); }
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
  struct Serving {
    uint32_t id = 0;
    std::stop_source stop{};
  };

  // Does what the run wants and hands its events on. `credit` goes back to the server when the user
  // has taken them; at once if there is none; or, while answers wait to be sent, with those.
  void Pump(size_t credit);
  void SendOutputs();
  bool may_send() const;
  void StartExecs();
  void StartExec(ExecRequest request);
  // Tells the handler that nobody waits for its answer any more.
  void StopExec();
  void TakeAnswer();
  // On the worker's thread.
  void SetAnswer(absl::StatusOr<ExecOutput> answer);

  Run run_;  // the role holder's, once the call is started
  ExecWorker* const worker_;
  // At the worker, one at a time: what else the server asks for waits in the Run, which bounds it
  // and forgets what is given up. The role holder's.
  std::optional<Serving> serving_;
  connect::Call call_;  // the same
  std::optional<connect::TimePoint> alarm_;
  size_t waiting_credit_ = 0;  // of messages whose answers wait for the server to read
  connect::BatchQueue<Element> events_;
  connect::Call user_call_;
  std::atomic<bool> cancel_requested_ = false;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;
  std::optional<absl::StatusOr<ExecOutput>> answer_;  // of serving_; guarded by mutex_
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_H_
