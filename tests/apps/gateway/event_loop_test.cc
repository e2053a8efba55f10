#include "http/event_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace cursor_gateway {
namespace {

using std::chrono::seconds;

class EventLoopTest : public ::testing::Test {
 protected:
  void Advance(seconds time) {
    now_ += time;
    loop_->ServeTimers();
  }

  TimePoint now_{};
  std::unique_ptr<EventLoop> loop_ = std::make_unique<EventLoop>([this] { return now_; });
  std::string called_;
};

TEST_F(EventLoopTest, CallsWhatIsDueInOrder) {
  const auto b = loop_->After(seconds(2), [&] { called_ += 'b'; });
  const auto a = loop_->After(seconds(1), [&] { called_ += 'a'; });
  const auto c = loop_->After(seconds(3), [&] { called_ += 'c'; });
  Advance(seconds(0));
  EXPECT_EQ(called_, "");
  Advance(seconds(2));
  EXPECT_EQ(called_, "ab");
  Advance(seconds(7));
  EXPECT_EQ(called_, "abc");
}

TEST_F(EventLoopTest, ForgetsATimerThatIsGone) {
  {
    auto gone = loop_->After(seconds(0), [&] { called_ += 'x'; });
    auto replaced = loop_->After(seconds(0), [&] { called_ += 'y'; });
    replaced = loop_->After(seconds(0), [&] { called_ += 'z'; });
    gone.reset();
    Advance(seconds(0));
    EXPECT_EQ(called_, "z");
  }
  const auto timer = loop_->After(seconds(0), [] {});
  loop_.reset();
}

}  // namespace
}  // namespace cursor_gateway
