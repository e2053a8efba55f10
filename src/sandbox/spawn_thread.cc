#include "sandbox/spawn_thread.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <system_error>

#include "base/error.h"
#include "base/signal_block.h"

namespace cursorwire::sandbox {

absl::StatusOr<std::unique_ptr<SpawnThread>> SpawnThread::Create() {
  std::unique_ptr<SpawnThread> made(new SpawnThread);
  const SignalBlock blocked;
  try {
    made->thread_ = std::thread([thread = made.get()] { thread->Loop(); });
  } catch (const std::system_error& error) {
    return LocalError(absl::StatusCode::kUnavailable,
                      absl::StrCat("no thread can be started: ", error.what()));
  }
  return made;
}

SpawnThread::~SpawnThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SpawnThread::Run(const std::function<void()>& work) {
  const std::lock_guard alone(callers_);
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [this] { return work_ == nullptr; });
}

void SpawnThread::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || work_ != nullptr; });
    if (work_ == nullptr) return;
    // Run() waits meanwhile, so that what it points at stays.
    const std::function<void()>& work = *work_;
    lock.unlock();
    work();
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace cursorwire::sandbox
