#include "upstream/script/script_queue.h"

#include <algorithm>

#include "upstream/script/expectation.h"

namespace cursorwire::upstream {

const CompiledScript* ScriptQueue::Pick(const std::string& prompt) {
  std::vector<const CompiledScript*> in_order;
  for (const CompiledScript& script : scripts_) {
    if (!script.when_prompt) {
      in_order.push_back(&script);
    } else if (!FindMismatch(*script.when_prompt, Json(prompt))) {
      return &script;
    }
  }
  if (in_order.empty()) return nullptr;
  const CompiledScript* script = in_order[next_];
  if (next_ + 1 < in_order.size()) ++next_;
  return script;
}

void ScriptQueue::OnRunEnd() {
  {
    const std::lock_guard lock(mutex_);
    ++ended_;
  }
  changed_.notify_all();
}

size_t ScriptQueue::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool ScriptQueue::WaitForEnded(size_t runs, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  // A year; longer times may overflow the clock.
  const std::chrono::milliseconds longest = std::chrono::hours(24 * 365);
  return changed_.wait_for(lock, std::min(timeout, longest), [&] { return ended_ >= runs; });
}

}  // namespace cursorwire::upstream
