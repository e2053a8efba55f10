#include "acp/open_calls.h"

namespace cursor_acp {

void OpenCalls::OnStarted(const std::string& call_id) {
  if (call_id.empty()) return;  // nobody could refer to it
  const std::lock_guard lock(mutex_);
  calls_.try_emplace(call_id, false);
}

void OpenCalls::OnCompleted(const std::string& call_id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(call_id);
  changed_.notify_all();
}

void OpenCalls::OnShown(const std::string& call_id) {
  const std::lock_guard lock(mutex_);
  if (const auto call = calls_.find(call_id); call != calls_.end()) call->second = true;
  changed_.notify_all();
}

void OpenCalls::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::string OpenCalls::AwaitShown(const std::string& call_id, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const bool is_only_one = call_id.empty() && calls_.size() == 1;
  std::string id = is_only_one ? calls_.begin()->first : call_id;
  bool shown = false;
  changed_.wait(lock, stop, [&] {
    const auto call = calls_.find(id);
    shown = call != calls_.end() && call->second;
    return ended_ || call == calls_.end() || shown;
  });
  return shown ? id : "";
}

}  // namespace cursor_acp
