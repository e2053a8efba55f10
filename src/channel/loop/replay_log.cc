#include "channel/loop/replay_log.h"

#include <utility>

namespace cursorwire::connect::internal {

void ReplayLog::AddMessage(std::string message) {
  if (!whole_) return;
  const size_t size = message.size() + sizeof(std::string);
  if (size > kMaxBytes - bytes_) return Drop();
  bytes_ += size;
  messages_.push_back(std::move(message));
}

void ReplayLog::Drop() {
  if (!std::exchange(whole_, false)) return;
  messages_ = {};
}

}  // namespace cursorwire::connect::internal
