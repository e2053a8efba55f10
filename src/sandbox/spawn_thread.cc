#include "sandbox/spawn_thread.h"

#include <absl/status/status.h>

#include "base/error.h"
#include "base/start_thread.h"

namespace cursorwire::sandbox {

absl::StatusOr<std::unique_ptr<SpawnThread>> SpawnThread::Create() {
  std::unique_ptr<SpawnThread> made(new SpawnThread);
  if (StartThread(made->thread_, [thread = made.get()] { thread->Loop(); })) return made;
  return LocalError(absl::StatusCode::kUnavailable, "the system starts no more threads");
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
