#include "http/event_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
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

// Neither what else was posted nor timers are lost with it.
TEST_F(EventLoopTest, GoesOnAfterAnException) {
  loop_->OnFailure([&](const char* what) { called_ += what; });
  const auto timer = loop_->After(seconds(0), [] { throw std::runtime_error("1"); });
  const auto later = loop_->After(seconds(1), [&] { called_ += '2'; });
  loop_->Post([&] {
    now_ += seconds(1);
    throw std::runtime_error("3");
  });
  loop_->Post([&] {
    called_ += '4';
    loop_->Stop();
  });
  loop_->Run();
  EXPECT_EQ(called_, "1324");
  loop_ = std::make_unique<EventLoop>();
  loop_->Post([] { throw std::runtime_error("5"); });
  EXPECT_THROW(loop_->Run(), std::runtime_error);
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
