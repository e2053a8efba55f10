#include "acp/open_calls.h"

#include <algorithm>

namespace cursor_chat::acp {

OpenCalls::Call* OpenCalls::Find(const std::string& call_id) {
  const auto call = std::find_if(calls_.begin(), calls_.end(), [&call_id](const Call& other) {
    return other.info.call_id == call_id;
  });
  return call == calls_.end() ? nullptr : &*call;
}

void OpenCalls::OnStarted(const cursorwire::ToolCallInfo& call) {
  if (call.call_id.empty()) return;  // nobody could refer to it
  const std::lock_guard lock(mutex_);
  if (Call* known = Find(call.call_id)) {
    known->info = call;
  } else {
    calls_.push_back({.info = call});
  }
}

void OpenCalls::OnCompleted(const std::string& call_id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&call_id](const Call& call) { return call.info.call_id == call_id; });
  changed_.notify_all();
}

void OpenCalls::OnShown(const std::string& call_id) {
  const std::lock_guard lock(mutex_);
  if (Call* call = Find(call_id)) call->shown = true;
  changed_.notify_all();
}

void OpenCalls::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::string OpenCalls::AwaitShown(const Fits& fits, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto call = std::find_if(calls_.rbegin(), calls_.rend(),
                                 [&fits](const Call& other) { return fits(other.info); });
  if (call == calls_.rend()) return "";
  const std::string id = call->info.call_id;
  bool shown = false;
  changed_.wait(lock, stop, [&] {
    const Call* now = Find(id);
    shown = now != nullptr && now->shown;
    return ended_ || now == nullptr || shown;
  });
  return shown ? id : "";
}

}  // namespace cursor_chat::acp
