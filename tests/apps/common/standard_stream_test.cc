#include "common/standard_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <stop_token>
#include <string>
#include <thread>

#include "base/file_descriptor.h"

namespace cursor_apps {
namespace {

using Clock = WriteLimit::Clock;

// More than any pipe or terminal takes without a reader.
const std::string kLong(size_t{4} * 1024 * 1024, 'x');

struct Ends {
  cursorwire::FileDescriptor read;
  cursorwire::FileDescriptor write;
};

Ends MakeEnds() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  return {cursorwire::FileDescriptor(ends[0]), cursorwire::FileDescriptor(ends[1])};
}

size_t CountUntilEnd(int fd) {
  char buffer[4096];
  size_t size = 0;
  for (ssize_t count; (count = ::read(fd, buffer, sizeof(buffer))) > 0;) {
    size += static_cast<size_t>(count);
  }
  return size;
}

void AwaitInput(int fd) {
  pollfd input{.fd = fd, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&input, 1, -1), 1);
}

TEST(StandardStream, WaitsForAReaderWithoutALimit) {
  Ends ends = MakeEnds();
  size_t size = 0;
  {
    const std::jthread reader([&] { size = CountUntilEnd(ends.read.get()); });
    EXPECT_EQ(StandardStream(ends.write.get()).Write(kLong, WriteLimit()), 0);
    ends.write.Reset();
  }
  EXPECT_EQ(size, kLong.size());
}

TEST(StandardStream, AStopEndsTheWaitForAReader) {
  const Ends ends = MakeEnds();
  std::stop_source stop;
  const std::jthread stopper([&] {
    AwaitInput(ends.read.get());
    stop.request_stop();
  });
  EXPECT_EQ(StandardStream(ends.write.get()).Write(kLong, WriteLimit(stop.get_token())), ETIMEDOUT);
}

TEST(StandardStream, ADeadlineEndsTheWaitForAReader) {
  const Ends ends = MakeEnds();
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(50);
  EXPECT_EQ(StandardStream(ends.write.get()).Write(kLong, WriteLimit({}, end)), ETIMEDOUT);
  EXPECT_GE(Clock::now(), end + kLastWait);
}

TEST(StandardStream, AReaderThatGoesOnGetsAllAfterTheLimit) {
  Ends ends = MakeEnds();
  size_t size = 0;
  {
    const std::jthread reader([&] { size = CountUntilEnd(ends.read.get()); });
    EXPECT_EQ(StandardStream(ends.write.get()).Write(kLong, WriteLimit({}, Clock::now())), 0);
    ends.write.Reset();
  }
  EXPECT_EQ(size, kLong.size());
}

TEST(StandardStream, WaitsForADescriptorThatAnotherMadeNonBlocking) {
  Ends ends = MakeEnds();
  ASSERT_EQ(::fcntl(ends.write.get(), F_SETFL, O_NONBLOCK), 0);
  size_t size = 0;
  {
    const std::jthread reader([&] { size = CountUntilEnd(ends.read.get()); });
    EXPECT_EQ(StandardStream(ends.write.get()).Write(kLong, WriteLimit()), 0);
    ends.write.Reset();
  }
  EXPECT_EQ(size, kLong.size());
}

TEST(StandardStream, WritesAtOnceOrNotAtAll) {
  Ends ends = MakeEnds();
  const StandardStream stream(ends.write.get());
  const std::string page(PIPE_BUF, 'x');
  size_t written = 0;
  while (stream.WriteAtOnce(page) == 0) written += page.size();
  EXPECT_GT(written, 0);
  EXPECT_EQ(stream.WriteAtOnce("x"), EAGAIN);
  std::string read(written, '\0');
  EXPECT_EQ(::read(ends.read.get(), read.data(), read.size()), static_cast<ssize_t>(written));
  EXPECT_EQ(stream.WriteAtOnce("x"), 0);
  ends.read.Reset();
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(stream.WriteAtOnce("x"), EPIPE);
}

TEST(StandardStream, TellsWhatIsWrong) {
  ::signal(SIGPIPE, SIG_IGN);
  Ends ends = MakeEnds();
  ends.read.Reset();
  EXPECT_EQ(StandardStream(ends.write.get()).Write("x", WriteLimit()), EPIPE);
  ends = MakeEnds();
  EXPECT_EQ(StandardStream(ends.read.get()).Write("x", WriteLimit()), EBADF);
  EXPECT_EQ(StandardStream(-1).Write("x", WriteLimit()), EBADF);
}

TEST(StandardStream, ATerminalThatNobodyReadsIsNotWaitedForAfterTheLimit) {
  const cursorwire::FileDescriptor screen(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[128];
  if (!screen.valid() || ::grantpt(screen.get()) != 0 || ::unlockpt(screen.get()) != 0 ||
      ::ptsname_r(screen.get(), name, sizeof(name)) != 0) {
    GTEST_SKIP() << "no pseudo-terminal";
  }
  const cursorwire::FileDescriptor terminal(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.valid()) GTEST_SKIP() << "no pseudo-terminal";
  const StandardStream stream(terminal.get());
  EXPECT_TRUE(stream.is_terminal());
  EXPECT_EQ(stream.Write(kLong, WriteLimit({}, Clock::now())), ETIMEDOUT);
  EXPECT_EQ(::fcntl(terminal.get(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace cursor_apps
