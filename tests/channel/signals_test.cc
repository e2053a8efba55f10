// The signals of a process are for its own threads to take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <semaphore.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <future>
#include <memory>
#include <set>
#include <thread>

#include "cursorwire/connect/channel.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/status_matchers.h"
#include "support/test_server.h"
#include "support/thread_signals.h"

namespace cursorwire::connect {
namespace {

using test::Exchange;
using test::IsOk;
using test::StreamingRequest;
using test::TestServer;

std::atomic<pid_t> taker = 0;  // the thread that took the signal last
sem_t taken;

void TakeSignal(int) {
  const int before = errno;
  taker = ::gettid();
  ::sem_post(&taken);
  errno = before;
}

bool AwaitSignal() {
  timespec until = {};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += test::kPatience.count();
  int result = 0;
  while ((result = ::sem_timedwait(&taken, &until)) != 0 && errno == EINTR) continue;
  return result == 0;
}

void Block(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(how, &set, nullptr);
}

// What this thread starts takes SIGUSR1; this thread itself takes it only when it says so.
class Signals : public ::testing::Test {
 protected:
  Signals() {
    ::sem_init(&taken, 0, 0);
    taker = 0;
    struct sigaction action = {};
    action.sa_handler = &TakeSignal;
    sigaction(SIGUSR1, &action, &before_);
  }
  ~Signals() override {
    Block(SIG_UNBLOCK, SIGUSR1);
    sigaction(SIGUSR1, &before_, nullptr);
    ::sem_destroy(&taken);
  }

  // A server whose own thread does not take them.
  static std::unique_ptr<TestServer> DeafServer() {
    Block(SIG_BLOCK, SIGUSR1);
    auto server = std::make_unique<TestServer>(test::TestServerOptions{.security = Security::kTls});
    Block(SIG_UNBLOCK, SIGUSR1);
    return server;
  }

 private:
  struct sigaction before_ = {};
};

TEST_F(Signals, ThreadsOfAChannelBlockAll) {
  const std::unique_ptr<TestServer> server = DeafServer();
  const std::set<int> before = test::Threads();
  const Channel channel = server->Connect();  // by name: https://localhost
  EXPECT_EQ(test::ExpectNoSignalsFor(before, 1), 1);
  const auto observer = test::Recorder();
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(call.Send("hi"), IsOk());
  EXPECT_TRUE(observer->Await("message hi"));
  test::ExpectNoSignalsFor(before, 1);
}

TEST_F(Signals, NoneIsTakenByAChannel) {
  const std::unique_ptr<TestServer> server = DeafServer();
  const Channel channel = server->Connect();
  Block(SIG_BLOCK, SIGUSR1);
  ASSERT_EQ(::kill(::getpid(), SIGUSR1), 0);
  // The channel's thread and that of the resolver have had much to do since.
  const auto observer = test::Recorder();
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(call.Send("hi"), IsOk());
  EXPECT_TRUE(observer->Await("message hi"));
  EXPECT_EQ(taker, 0);
  // It waits for the one thread of the user.
  sigset_t users;
  sigemptyset(&users);
  sigaddset(&users, SIGUSR1);
  const timespec none = {};
  EXPECT_EQ(sigtimedwait(&users, nullptr, &none), SIGUSR1);
}

// In a thread of the user that does the I/O of the channel while it waits: it goes on after it.
TEST_F(Signals, AreTakenByTheUsersThreadWhichGoesOn) {
  const std::unique_ptr<TestServer> server = DeafServer();
  const Channel channel = server->Connect();
  Stream stream = channel.OpenStream("/never");
  std::promise<pid_t> started;
  bool answered = false;
  std::thread thread([&] {
    started.set_value(::gettid());
    const auto message = stream.Next();
    answered = message && message->ok() && **message == "at last";
  });
  Block(SIG_BLOCK, SIGUSR1);
  const pid_t user = test::WaitFor(started.get_future());
  ASSERT_TRUE(server->Await(test::Requests(1)));
  for (int i = 0; i < 20; ++i) {
    taker = 0;
    ASSERT_EQ(::kill(::getpid(), SIGUSR1), 0);
    ASSERT_TRUE(AwaitSignal());
    EXPECT_EQ(taker, user);
  }
  server->ForEachExchange([](Exchange& exchange) { exchange.SendMessage("at last"); });
  thread.join();
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace cursorwire::connect
