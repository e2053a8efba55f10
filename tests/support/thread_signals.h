#ifndef CURSORWIRE_TESTS_SUPPORT_THREAD_SIGNALS_H_
#define CURSORWIRE_TESTS_SUPPORT_THREAD_SIGNALS_H_

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace cursorwire::test {

// Numbers of the threads of this process. With the first thread that it starts, a sanitizer may
// start one of its own, which is there then.
inline std::set<int> Threads() {
  static const bool has_started_one = [] {
    std::thread([] {}).join();
    return true;
  }();
  std::set<int> threads;
  if (!has_started_one) return threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    threads.insert(std::stoi(entry.path().filename().string()));
  }
  return threads;
}

// Signals that a thread blocks, bit 0 for signal 1; 0 if there is no such thread any more.
inline uint64_t BlockedSignals(int thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("SigBlk:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

// What a thread of the library must block: all but those that a fault of its own raises, those that
// nobody can block, and the two of the C library.
inline uint64_t SignalsOfTheProgram() {
  uint64_t signals = ~uint64_t{0};
  for (const int mine :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGKILL, SIGSTOP, 32, 33}) {
    signals &= ~(uint64_t{1} << (mine - 1));
  }
  return signals;
}

// Threads that are not among `before` block these signals and no others. They start with all
// blocked, so that it may take a moment to be so. Returns how many there are.
inline int ExpectNoSignalsFor(const std::set<int>& before, int least) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    int right = 0;
    std::ostringstream wrong;
    for (const int thread : Threads()) {
      const uint64_t blocked = before.contains(thread) ? 0 : BlockedSignals(thread);
      if (blocked == SignalsOfTheProgram()) {
        ++right;
      } else if (!before.contains(thread)) {
        wrong << "thread " << thread << " blocks " << std::hex << blocked << std::dec << "\n";
      }
    }
    if (right >= least && wrong.str().empty()) return right;
    if (std::chrono::steady_clock::now() > give_up) {
      ADD_FAILURE() << right << " threads block what they should; " << wrong.str();
      return right;
    }
    std::this_thread::yield();
  }
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_THREAD_SIGNALS_H_
