#ifndef CURSORWIRE_TESTS_SUPPORT_PATIENCE_H_
#define CURSORWIRE_TESTS_SUPPORT_PATIENCE_H_

#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>

namespace cursorwire::test {

// The longest that a test waits for an event before it gives up: only a failing test takes it.
constexpr std::chrono::seconds kPatience{20};

// The value of a std::future or std::shared_future. If it does not come within kPatience, the test
// program ends and names the line: the thread that should give it hangs, and to go on would hang,
// too, since the destructor of a future may wait for its thread.
template <typename Future>
auto WaitFor(Future&& future, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (future.wait_for(kPatience) != std::future_status::ready) {
    std::cerr << file << ":" << line << ": nothing came within " << kPatience.count() << " s\n";
    std::abort();
  }
  return future.get();
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_PATIENCE_H_
