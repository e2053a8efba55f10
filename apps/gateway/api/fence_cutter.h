#ifndef CURSORWIRE_APPS_GATEWAY_API_FENCE_CUTTER_H_
#define CURSORWIRE_APPS_GATEWAY_API_FENCE_CUTTER_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_gateway {

// Takes a code fence off that stands around a whole answer, at whatever points the answer is split:
// models that are asked for JSON often put one around it. Other answers are not changed. What comes
// after the closing fence is passed on with it; then only the first line is gone.
//
// Order: Feed() any number of times, then Finish() once or more. Holds back what may be a fence,
// kMaxFenceBytes at most. Thread-compatible.
class FenceCutter {
 public:
  static constexpr size_t kMaxFenceBytes = 256;

  explicit FenceCutter(bool cuts) : state_(cuts ? State::kStart : State::kPass) {}

  // What can be sent now.
  std::string Feed(std::string_view text);
  // The rest of an answer that has ended.
  std::string Finish();

 private:
  enum class State { kStart, kWithin, kPass };

  // Whether it is known how the answer begins.
  bool LookAtStart();
  // Where what may be the closing fence begins, with the end of the line before it.
  size_t FenceAt() const;

  State state_;
  size_t ticks_ = 0;  // of the opening fence
  std::string held_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_FENCE_CUTTER_H_
