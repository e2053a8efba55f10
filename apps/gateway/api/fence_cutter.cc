#include "api/fence_cutter.h"

#include <algorithm>
#include <utility>

namespace cursor_gateway {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kBlanksInLine = " \t\r";
constexpr std::string_view kInfo =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-. \t\r";
constexpr size_t kMinTicks = 3;

// Where the last of `text` that is not among `letters` ends.
size_t EndWithout(std::string_view text, std::string_view letters) {
  const size_t last = text.find_last_not_of(letters);
  return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace

std::string FenceCutter::Feed(std::string_view text) {
  held_ += text;
  if (state_ == State::kStart && !LookAtStart()) return "";
  const size_t ready = state_ == State::kPass ? held_.size() : FenceAt();
  std::string sent = held_.substr(0, ready);
  held_.erase(0, ready);
  return sent;
}

bool FenceCutter::LookAtStart() {
  const size_t begin = std::min(held_.find_first_not_of(kBlanks), held_.size());
  const size_t end = std::min(held_.find_first_not_of('`', begin), held_.size());
  const size_t line = held_.find('\n', end);
  const bool is_info = held_.find_first_not_of(kInfo, end) == line;
  const bool is_fence = end - begin >= kMinTicks || end == held_.size();
  if (!is_info || !is_fence || held_.size() > kMaxFenceBytes) {
    state_ = State::kPass;
    return true;
  }
  if (line == std::string::npos) return false;
  state_ = State::kWithin;
  ticks_ = end - begin;
  held_.erase(0, line + 1);
  return true;
}

size_t FenceCutter::FenceAt() const {
  const std::string_view held = held_;
  const size_t end = EndWithout(held, kBlanks);
  const size_t ticks = EndWithout(held.substr(0, end), "`");
  size_t begin = EndWithout(held.substr(0, ticks), kBlanksInLine);
  // More ticks may come, unless a blank is after them.
  const bool is_fence = end - ticks >= ticks_ || end == held.size() || ticks == end;
  if (ticks == end) {
    begin = end;
  } else if (!is_fence || (begin > 0 && held[begin - 1] != '\n')) {
    begin = held.size();
  } else {
    begin = EndWithout(held.substr(0, begin), kBlanks);
  }
  return held.size() - begin > kMaxFenceBytes ? held.size() : begin;
}

std::string FenceCutter::Finish() {
  std::string rest = std::exchange(held_, "");
  if (state_ != State::kWithin) return rest;
  const size_t end = EndWithout(rest, kBlanks);
  const bool is_fence = end - EndWithout(std::string_view(rest).substr(0, end), "`") >= ticks_;
  return is_fence ? "" : rest;
}

}  // namespace cursor_gateway
