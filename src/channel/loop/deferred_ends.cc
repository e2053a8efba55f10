#include "channel/loop/deferred_ends.h"

#include <utility>

namespace cursorwire::connect::internal {

void DeferredEnds::End(EndCall end) {
  const auto here = std::this_thread::get_id();
  {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_first] = ends_.try_emplace(here);
    entry->second.push_back(std::move(end));
    if (!is_first) return;
  }
  while (const EndCall next = Take(here)) next();
}

DeferredEnds::EndCall DeferredEnds::Take(std::thread::id thread) {
  const std::lock_guard lock(mutex_);
  const auto entry = ends_.find(thread);
  if (entry->second.empty()) {
    ends_.erase(entry);
    return nullptr;
  }
  EndCall end = std::move(entry->second.front());
  entry->second.pop_front();
  return end;
}

}  // namespace cursorwire::connect::internal
