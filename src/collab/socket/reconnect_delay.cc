#include "collab/socket/reconnect_delay.h"

#include <algorithm>
#include <utility>

namespace cursorwire::collab {
namespace {

constexpr double kReconnectJitter = 0.2;

}  // namespace

void ReconnectDelay::OnClosed(TimePoint now, bool clean_restart) {
  const bool was_stable = connected_at_ && now - *connected_at_ >= options_.stable_after;
  connected_at_.reset();
  if (was_stable) {
    base_ = options_.first;
    may_be_at_once_ = true;
  }
  at_once_ = clean_restart && may_be_at_once_;
  if (at_once_) may_be_at_once_ = false;
}

std::chrono::milliseconds ReconnectDelay::Next(double random) {
  if (std::exchange(at_once_, false)) return std::chrono::milliseconds(0);
  const std::chrono::milliseconds base = std::min(base_, options_.max);
  base_ = std::min(base * 2, options_.max);
  const double factor = 1 + kReconnectJitter * (2 * std::clamp(random, 0.0, 1.0) - 1);
  return std::chrono::round<std::chrono::milliseconds>(
      std::chrono::duration<double, std::milli>(base) * factor);
}

}  // namespace cursorwire::collab
