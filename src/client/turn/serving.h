#ifndef CURSORWIRE_SRC_CLIENT_TURN_SERVING_H_
#define CURSORWIRE_SRC_CLIENT_TURN_SERVING_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "client/turn/handler_threads.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/exec.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/query.h"
#include "cursorwire/sandbox.h"

namespace cursorwire {

// One action, tool call or question. It stands between the turn that received it and the handler
// that does it, on any thread. The handler's results wake the turn through its call: pieces of a
// command's output, a few at a time, then the answer.
class Serving final : public ShellSink {
 public:
  using Answer = std::variant<absl::StatusOr<ExecOutput>, absl::StatusOr<QueryOutput>>;
  struct Piece {
    std::string out{};
    std::string err{};
    std::optional<SandboxPolicy> sandbox{};  // of the first piece: ShellOutput::sandbox
  };

  using Work = std::variant<ExecArgs, QueryArgs>;

  // `id` is the id of the ExecRequest or QueryRequest, `call_id` that of the tool call, if any.
  Serving(uint32_t id, std::string call_id, Work work, connect::Call call)
      : id_(id), call_id_(std::move(call_id)), call_(std::move(call)), work_(std::move(work)) {}

  // The handler's side. TakeWork() returns the work once; nullopt: nobody waits for it any more.
  std::optional<Work> TakeWork();
  void Started(const std::optional<SandboxPolicy>& sandbox) override;
  // Out() and Err() block while the turn has not taken earlier pieces.
  void Out(std::string_view bytes) override { Add(bytes, &Piece::out); }
  void Err(std::string_view bytes) override { Add(bytes, &Piece::err); }
  // Only the first answer counts.
  void SetAnswer(Answer answer);
  ActionContext context() const { return {.call_id = call_id_, .stop = stop_.get_token()}; }

  // The turn's side.
  uint32_t id() const { return id_; }
  // The ticket of the task that does this work, valid while the task waits for a thread.
  void set_ticket(HandlerThreads::Ticket ticket) { ticket_ = ticket; }
  HandlerThreads::Ticket ticket() const { return ticket_; }
  // The results wake another call from now on, and once now.
  void MoveTo(connect::Call call);
  // Nobody waits for the answer any more.
  void Stop();
  bool stopped() const { return stop_.stop_requested(); }
  std::optional<Piece> TakePiece();
  // nullopt until all pieces were taken.
  std::optional<Answer> TakeAnswer();

 private:
  void Add(std::string_view bytes, std::string Piece::*stream);
  void WakeTurn();

  const uint32_t id_;
  const std::string call_id_;
  HandlerThreads::Ticket ticket_ = 0;  // used by the turn
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable taken_;
  connect::Call call_ ABSL_GUARDED_BY(mutex_);
  std::optional<Work> work_ ABSL_GUARDED_BY(mutex_);
  std::optional<SandboxPolicy> sandbox_ ABSL_GUARDED_BY(mutex_);
  std::deque<Piece> pieces_ ABSL_GUARDED_BY(mutex_);
  std::optional<Answer> answer_ ABSL_GUARDED_BY(mutex_);
  bool answered_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_SERVING_H_
