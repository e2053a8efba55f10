#include "core/deadline_messages.h"

#include <algorithm>
#include <string>

namespace cursorwire::core {

bool DeadlineMessages::Say(Call& call, TimePoint until) {
  const std::string& message = call.message_at_deadline();
  const bool streams = call.kind() == connect::CallKind::kStreaming;
  const int32_t stream_id = call.stream_id();
  if (message.empty() || !streams || call.send_closed() || stream_id == 0) return false;
  std::string encoded;
  if (!call.protocol().Encode(message, encoded).ok()) return false;
  if (!session_.request_sent(stream_id) || encoded.size() > session_.room(stream_id)) return false;
  session_.Write(stream_id, encoded);
  call.set_send_closed();
  session_.FinishWrite(stream_id);
  streams_.emplace(call.id(), stream_id);
  order_.emplace_back(until, call.id());
  return true;
}

bool DeadlineMessages::any_open() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [this](const auto& entry) { return session_.is_open(entry.second); });
}

std::optional<connect::TimePoint> DeadlineMessages::next() const {
  if (order_.empty()) return std::nullopt;
  return order_.front().first;
}

void DeadlineMessages::OnDeadline(TimePoint now) {
  while (!order_.empty() && order_.front().first <= now) {
    const auto entry = streams_.find(order_.front().second);
    session_.Reset(entry->second, h2::kCancel);
    streams_.erase(entry);
    order_.pop_front();
  }
}

void DeadlineMessages::Clear() {
  streams_.clear();
  order_.clear();
}

}  // namespace cursorwire::core
