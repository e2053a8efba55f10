#include "net/poller.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/socket.h"

namespace cursorwire::net {
namespace {

using namespace std::chrono_literals;

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;

  static Pipe Open() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
    return {.read_end = FileDescriptor(fds[0]), .write_end = FileDescriptor(fds[1])};
  }
  void Write() const { EXPECT_EQ(::write(write_end.get(), "x", 1), 1); }
};

TEST(Poller, TellsWhichDescriptorsAreReady) {
  const Pipe quiet = Pipe::Open();
  const Pipe loud = Pipe::Open();
  loud.Write();
  Poller poller;
  const size_t quiet_index = poller.Add(quiet.read_end.get(), Poller::Interest::kRead);
  const size_t loud_index = poller.Add(loud.read_end.get(), Poller::Interest::kRead);
  poller.Wait(std::nullopt);
  EXPECT_FALSE(poller.readable(quiet_index));
  EXPECT_FALSE(poller.writable(quiet_index));
  EXPECT_TRUE(poller.readable(loud_index));
}

TEST(Poller, WaitsForWritingOnlyWhenAsked) {
  const Pipe pipe = Pipe::Open();
  const Pipe loud = Pipe::Open();
  loud.Write();
  Poller poller;
  const size_t read_only = poller.Add(pipe.write_end.get(), Poller::Interest::kRead);
  poller.Add(loud.read_end.get(), Poller::Interest::kRead);
  poller.Wait(std::nullopt);
  EXPECT_FALSE(poller.writable(read_only));
  poller.Clear();
  const size_t both = poller.Add(pipe.write_end.get(), Poller::Interest::kReadWrite);
  EXPECT_EQ(both, 0u);
  poller.Wait(std::nullopt);
  EXPECT_TRUE(poller.writable(both));
  EXPECT_FALSE(poller.readable(both));
}

TEST(Poller, ReturnsNotBeforeTheDeadlineWhenNothingIsReady) {
  const Pipe pipe = Pipe::Open();
  Poller poller;
  const size_t index = poller.Add(pipe.read_end.get(), Poller::Interest::kRead);
  const connect::TimePoint deadline = Now() + 5ms + std::chrono::microseconds(1);
  poller.Wait(deadline);
  EXPECT_GE(Now(), deadline);
  EXPECT_FALSE(poller.readable(index));
}

TEST(Poller, DoesNotWaitForADeadlineThatHasPassedOrWhenSomethingIsReady) {
  Poller poller;
  const Pipe pipe = Pipe::Open();
  poller.Add(pipe.read_end.get(), Poller::Interest::kRead);
  poller.Wait(Now() - 1h);
  EXPECT_FALSE(poller.readable(0));
  pipe.Write();
  // Further than the milliseconds that poll() can count.
  poller.Wait(Now() + 24h * 365);
  EXPECT_TRUE(poller.readable(0));
}

TEST(Poller, AHangUpIsReadableAndAnErrorWritable) {
  Pipe pipe = Pipe::Open();
  Poller poller;
  const size_t reader = poller.Add(pipe.read_end.get(), Poller::Interest::kRead);
  pipe.write_end.Reset();
  poller.Wait(std::nullopt);
  EXPECT_TRUE(poller.readable(reader));

  Pipe other = Pipe::Open();
  other.read_end.Reset();
  poller.Clear();
  const size_t writer = poller.Add(other.write_end.get(), Poller::Interest::kReadWrite);
  poller.Wait(std::nullopt);
  EXPECT_TRUE(poller.writable(writer));
  EXPECT_TRUE(poller.readable(writer));
}

TEST(Poller, ForgetsWhatWasReadyBefore) {
  const Pipe pipe = Pipe::Open();
  pipe.Write();
  Poller poller;
  const size_t index = poller.Add(pipe.read_end.get(), Poller::Interest::kRead);
  poller.Wait(std::nullopt);
  ASSERT_TRUE(poller.readable(index));
  char byte;
  ASSERT_EQ(::read(pipe.read_end.get(), &byte, 1), 1);
  poller.Wait(Now());
  EXPECT_FALSE(poller.readable(index));
}

}  // namespace
}  // namespace cursorwire::net
