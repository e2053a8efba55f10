#include "api/stop_cutter.h"

#include <algorithm>
#include <utility>

namespace cursor_gateway {

StopCutter::StopCutter(std::vector<std::string> stops) {
  for (std::string& stop : stops) stops_.emplace_back(std::move(stop));
}

// Source: Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977.
StopCutter::Stop::Stop(std::string stop) : text(std::move(stop)), borders(text.size()) {
  for (size_t i = 1; i < text.size(); ++i) {
    Add(text[i]);
    borders[i] = static_cast<uint32_t>(met);
  }
  met = 0;
}

void StopCutter::Stop::Add(char c) {
  while (met > 0 && text[met] != c) met = borders[met - 1];
  if (text[met] == c) ++met;
}

std::string StopCutter::Feed(std::string_view text) {
  for (size_t i = 0; i < text.size() && !stopped_; ++i) {
    held_ += text[i];
    size_t longest = 0;
    for (Stop& stop : stops_) {
      stop.Add(text[i]);
      if (stop.met == stop.text.size()) longest = std::max(longest, stop.met);
    }
    if (longest == 0) continue;
    stopped_ = true;
    stop_ = held_.substr(held_.size() - longest);
    held_.resize(held_.size() - longest);
    return std::exchange(held_, "");
  }
  if (stopped_) return "";
  size_t begun = 0;
  for (const Stop& stop : stops_) begun = std::max(begun, stop.met);
  std::string sent = held_.substr(0, held_.size() - begun);
  held_.erase(0, sent.size());
  return sent;
}

std::string StopCutter::Finish() {
  for (Stop& stop : stops_) stop.met = 0;
  return std::exchange(held_, "");
}

}  // namespace cursor_gateway
