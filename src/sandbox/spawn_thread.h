#ifndef CURSORWIRE_SRC_SANDBOX_SPAWN_THREAD_H_
#define CURSORWIRE_SRC_SANDBOX_SPAWN_THREAD_H_

#include <absl/status/statusor.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace cursorwire::sandbox {

// A thread that lives as long as this, for starting processes: the kernel kills one that asked to
// die with its parent when the thread that started it ends, not the whole program. Thread-safe.
class SpawnThread {
 public:
  //   kUnavailable  the system has no thread left
  static absl::StatusOr<std::unique_ptr<SpawnThread>> Create();
  // No call of Run() may go on.
  ~SpawnThread();
  SpawnThread(const SpawnThread&) = delete;
  SpawnThread& operator=(const SpawnThread&) = delete;

  // Runs `work` on the thread, and returns when that is done. One at a time. `work` must not call
  // Run() itself.
  void Run(const std::function<void()>& work);

 private:
  SpawnThread() = default;
  void Loop();

  std::mutex callers_;  // held during Run()
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  // guarded by mutex_; nullptr: none, or done
  bool ends_ = false;                            // guarded by mutex_
  std::thread thread_;
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_SPAWN_THREAD_H_
