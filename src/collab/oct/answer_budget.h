#ifndef CURSORWIRE_SRC_COLLAB_OCT_ANSWER_BUDGET_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ANSWER_BUDGET_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cursorwire::oct {

// How much is answered to others, who may ask more often than we can send: one short question can
// have a long answer. Thread-compatible.
class AnswerBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kWindow{10};

  AnswerBudget(uint32_t max_answers, size_t max_bytes)
      : max_answers_(max_answers), max_bytes_(max_bytes) {}

  // Whether one more answer may be given; it is counted.
  bool Take(TimePoint now) {
    if (now >= since_ + kWindow) {
      since_ = now;
      answers_ = 0;
      bytes_ = 0;
    }
    if (answers_ == max_answers_ || bytes_ >= max_bytes_) return false;
    ++answers_;
    return true;
  }
  // How long that answer was.
  void Spend(size_t bytes) { bytes_ += bytes; }

 private:
  uint32_t max_answers_;
  size_t max_bytes_;
  TimePoint since_{};
  uint32_t answers_ = 0;
  size_t bytes_ = 0;
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ANSWER_BUDGET_H_
