#ifndef CURSORWIRE_TESTS_STRESS_ACCOUNT_H_
#define CURSORWIRE_TESTS_STRESS_ACCOUNT_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "cursorwire/connect/interceptor.h"

namespace cursorwire::test {

// Keeps book of all calls of the channels that have it among their interceptors, and finds those
// that do not end once. Users tell it what they find out. Thread-safe.
class Account final : public connect::Interceptor {
 public:
  // Something is not as it must be; it is printed, and the program fails.
  void Fault(const std::string& what);
  int faults() const { return faults_; }

  // A message came to a user of `what`, who expects it to be one of RawPeer.
  void TakeMessage(std::string_view bytes, std::string_view what);
  // A coroutine that goes on until its call has ended.
  void BeginCoroutine();
  void EndCoroutine();

  // Waits until each call has ended that was made, and each coroutine.
  void AwaitEnds();

  uint64_t calls() const { return calls_; }
  uint64_t messages() const { return messages_; }
  uint64_t ended_well() const { return ended_well_; }

  // connect::Interceptor
  absl::Status OnRequest(const connect::CallRecord& call, connect::Headers& headers) override;
  void OnHead(const connect::CallRecord& call, const connect::Headers& headers) override;
  void OnEnd(const connect::CallRecord& call, const connect::CallEnd& end) override;

 private:
  std::atomic<int> faults_ = 0;
  std::atomic<uint64_t> calls_ = 0;
  std::atomic<uint64_t> messages_ = 0;
  std::atomic<uint64_t> ended_well_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<const connect::CallRecord*> open_;
  int coroutines_ = 0;  // that have not ended
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_STRESS_ACCOUNT_H_
