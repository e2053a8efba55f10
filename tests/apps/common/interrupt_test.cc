#include "common/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <iostream>

namespace cursor_apps {
namespace {

// Ends by a signal, at once or after its last work.
[[noreturn]] void EndBySignal(const std::function<bool(int look)>& is_busy) {
  int looks = 0;
  const Interrupt interrupt([] {}, [&] { return is_busy(++looks); });
  ::kill(::getpid(), SIGINT);
  for (;;) ::pause();
}

class InterruptDeathTest : public ::testing::Test {
 protected:
  InterruptDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(InterruptDeathTest, AwaitsTheLastWorkOfAProcessThatASignalEnds) {
  const auto twice = [](int look) {
    if (look == 3) std::cerr << "kept" << std::endl;
    return look < 3;
  };
  EXPECT_EXIT(EndBySignal(twice), ::testing::ExitedWithCode(130), "kept");
}

TEST_F(InterruptDeathTest, EndsAtOnceByAnotherSignal) {
  const auto forever = [](int look) {
    if (look == 1) ::kill(::getpid(), SIGTERM);
    if (look == 3) std::cerr << "goes on" << std::endl;
    return true;
  };
  EXPECT_EXIT(EndBySignal(forever), ::testing::ExitedWithCode(130), "^$");
}

}  // namespace
}  // namespace cursor_apps
