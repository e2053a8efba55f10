#ifndef CURSORWIRE_TESTS_STRESS_WATCHDOG_H_
#define CURSORWIRE_TESTS_STRESS_WATCHDOG_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace cursorwire::test {

// Ends the program when something takes too long, and says what every thread was doing then.
// Thread-safe.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  // `hint` is printed with a report: how to see the same again.
  Watchdog(std::chrono::seconds patience, std::string hint);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // As long as it lives, the calling thread does `what`.
  class Doing {
   public:
    Doing(Watchdog& watchdog, std::string what);
    ~Doing();
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

   private:
    Watchdog& watchdog_;
    const uint64_t id_;
  };

 private:
  struct Deed {
    std::string what;
    Clock::time_point since;
  };

  uint64_t Begin(std::string what);
  void End(uint64_t id);
  void Watch();
  bool IsLate(Clock::time_point now) const;  // with the lock
  // Does not return.
  void Report(Clock::time_point now) const;  // with the lock

  const std::chrono::seconds patience_;
  const std::string hint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, Deed> deeds_;  // by age
  uint64_t next_ = 0;
  bool stopped_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_STRESS_WATCHDOG_H_
