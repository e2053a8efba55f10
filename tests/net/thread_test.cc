#include "net/thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <future>
#include <thread>

#include "support/patience.h"

namespace cursorwire::net {
namespace {

bool IsBlocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

std::atomic<int> traps = 0;

TEST(Thread, BlocksAllSignalsButThoseOfFaults) {
  std::thread thread;
  std::promise<void> done;
  ASSERT_TRUE(StartThread(thread, [&done] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGCHLD, SIGUSR1,
                             SIGUSR2, SIGPROF, SIGWINCH, SIGTSTP, SIGRTMIN, SIGRTMAX}) {
      EXPECT_TRUE(IsBlocked(signal)) << signal;
    }
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
      EXPECT_FALSE(IsBlocked(fault)) << fault;
    }
    done.set_value();
  }));
  test::WaitFor(done.get_future());
  thread.join();
  EXPECT_FALSE(IsBlocked(SIGTERM));
}

TEST(Thread, LeavesTheSignalsOfTheThreadThatStartsItAsTheyWere) {
  sigset_t users;
  sigset_t before;
  sigemptyset(&users);
  sigaddset(&users, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &users, &before);
  std::thread thread;
  ASSERT_TRUE(StartThread(thread, [] {}));
  thread.join();
  EXPECT_TRUE(IsBlocked(SIGUSR2));
  EXPECT_FALSE(IsBlocked(SIGUSR1));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// A program's handler of faults, which writes where it was, hears of those of our threads.
TEST(Thread, ItsFaultsAreHeard) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) { ++traps; };
  sigaction(SIGTRAP, &action, &before);
  std::thread thread;
  ASSERT_TRUE(StartThread(thread, [] { std::raise(SIGTRAP); }));
  thread.join();
  sigaction(SIGTRAP, &before, nullptr);
  EXPECT_EQ(traps, 1);
}

}  // namespace
}  // namespace cursorwire::net
