#ifndef CURSORWIRE_TESTS_STRESS_DICE_H_
#define CURSORWIRE_TESTS_STRESS_DICE_H_

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

namespace cursorwire::test {

// Random numbers of one thread.
class Dice {
 public:
  explicit Dice(uint32_t seed) : random_(seed) {}

  uint32_t Seed() { return static_cast<uint32_t>(random_()); }
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }
  bool OneIn(uint32_t chance) { return Below(chance) == 0; }
  std::chrono::milliseconds Milliseconds(uint32_t limit) {
    return std::chrono::milliseconds(1 + Below(limit));
  }
  // Lets the other threads go on for a while.
  void Dawdle(uint32_t limit) {
    for (uint32_t i = Below(limit); i > 0; --i) std::this_thread::yield();
  }

 private:
  std::mt19937 random_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_STRESS_DICE_H_
