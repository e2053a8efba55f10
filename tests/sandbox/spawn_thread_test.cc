#include "sandbox/spawn_thread.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

namespace cursorwire::sandbox {
namespace {

TEST(SpawnThread, RunsEverythingOnTheSameThread) {
  const auto spawner = SpawnThread::Create();
  ASSERT_TRUE(spawner.ok());
  std::thread::id first;
  std::thread::id second;
  (*spawner)->Run([&] { first = std::this_thread::get_id(); });
  (*spawner)->Run([&] { second = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(SpawnThread, RunsOneAtATime) {
  constexpr int kCallers = 8;
  constexpr int kRuns = 200;
  const auto spawner = SpawnThread::Create();
  ASSERT_TRUE(spawner.ok());
  int count = 0;  // not guarded by anything else
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&] {
      for (int run = 0; run < kRuns; ++run) (*spawner)->Run([&count] { ++count; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(count, kCallers * kRuns);
}

TEST(SpawnThread, WhatDiesWithItsParentOutlivesTheCaller) {
  auto spawner = SpawnThread::Create();
  ASSERT_TRUE(spawner.ok());
  pid_t child = 0;
  std::thread([&] {
    (*spawner)->Run([&child] {
      child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (true) ::pause();
      }
    });
  }).join();
  ASSERT_GT(child, 0);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0);
  // It may not have come as far as to ask for the signal.
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, &status, 0), child);
}

}  // namespace
}  // namespace cursorwire::sandbox
