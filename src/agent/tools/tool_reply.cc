#include "cursorwire/tool_reply.h"

#include <mutex>
#include <utility>

namespace cursorwire {

class ToolReply::State {
 public:
  explicit State(Sink sink) : sink_(std::move(sink)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { Send(ToolResult::Error("the tool ended without an answer")); }

  void Send(absl::StatusOr<ToolResult> result) {
    // Called without the lock, since it may take long.
    if (const Sink sink = TakeSink()) sink(std::move(result));
  }

 private:
  Sink TakeSink() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sink_, nullptr);
  }

  std::mutex mutex_;
  Sink sink_;  // guarded by mutex_; null once the call was answered
};

ToolReply::ToolReply(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {}

void ToolReply::Send(absl::StatusOr<ToolResult> result) const { state_->Send(std::move(result)); }

}  // namespace cursorwire
