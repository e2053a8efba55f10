#include "openai/stop_cutter.h"

#include <algorithm>
#include <utility>

namespace cursor_gateway {

std::string StopCutter::Feed(std::string_view text) {
  if (stopped_) return "";
  const size_t seen = held_.size();
  held_ += text;
  for (size_t end = seen + 1; end <= held_.size() && !stops_.empty(); ++end) {
    if (const size_t length = MatchAt(end); length > 0) {
      stopped_ = true;
      stop_ = held_.substr(end - length, length);
      held_.resize(end - length);
      return std::exchange(held_, "");
    }
  }
  const size_t ready = held_.size() - HeldBack();
  std::string sent = held_.substr(0, ready);
  held_.erase(0, ready);
  return sent;
}

std::string StopCutter::Finish() { return std::exchange(held_, ""); }

size_t StopCutter::MatchAt(size_t end) const {
  const std::string_view before = std::string_view(held_).substr(0, end);
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    if (before.ends_with(stop)) longest = std::max(longest, stop.size());
  }
  return longest;
}

size_t StopCutter::HeldBack() const {
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    size_t length = std::min(stop.size() - 1, held_.size());
    while (length > longest &&
           !std::string_view(held_).ends_with(std::string_view(stop).substr(0, length))) {
      --length;
    }
    longest = std::max(longest, length);
  }
  return longest;
}

}  // namespace cursor_gateway
