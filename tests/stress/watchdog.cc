#include "stress/watchdog.h"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace cursorwire::test {

Watchdog::Watchdog(std::chrono::seconds patience, std::string hint)
    : patience_(patience), hint_(std::move(hint)), thread_([this] { Watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Watchdog::Doing::Doing(Watchdog& watchdog, std::string what)
    : watchdog_(watchdog), id_(watchdog.Begin(std::move(what))) {}

Watchdog::Doing::~Doing() { watchdog_.End(id_); }

uint64_t Watchdog::Begin(std::string what) {
  const std::lock_guard lock(mutex_);
  deeds_.emplace(++next_, Deed{std::move(what), Clock::now()});
  return next_;
}

void Watchdog::End(uint64_t id) {
  const std::lock_guard lock(mutex_);
  deeds_.erase(id);
}

void Watchdog::Watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stopped_; })) {
    const Clock::time_point now = Clock::now();
    if (IsLate(now)) Report(now);
  }
}

bool Watchdog::IsLate(Clock::time_point now) const {
  return !deeds_.empty() && now - deeds_.begin()->second.since > patience_;
}

void Watchdog::Report(Clock::time_point now) const {
  std::cout << "stress: HANGS: this is what the threads do, and for how long (" << hint_ << ")\n";
  for (const auto& [id, deed] : deeds_) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - deed.since);
    std::cout << "  " << age.count() << " ms  " << deed.what << "\n";
  }
  std::cout << std::flush;
  std::_Exit(1);
}

}  // namespace cursorwire::test
