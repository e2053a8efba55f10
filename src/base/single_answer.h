#ifndef CURSORWIRE_SRC_BASE_SINGLE_ANSWER_H_
#define CURSORWIRE_SRC_BASE_SINGLE_ANSWER_H_

#include <functional>
#include <mutex>
#include <utility>

namespace cursorwire {

// Passes the first answer on, and none but that. Thread-safe.
template <typename Answer>
class SingleAnswer {
 public:
  using Sink = std::function<void(Answer)>;

  explicit SingleAnswer(Sink sink) : sink_(std::move(sink)) {}
  SingleAnswer(const SingleAnswer&) = delete;
  SingleAnswer& operator=(const SingleAnswer&) = delete;

  void Send(Answer answer) {
    // Called without the lock, since it may take long.
    if (const Sink sink = TakeSink()) sink(std::move(answer));
  }

 private:
  Sink TakeSink() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sink_, nullptr);
  }

  std::mutex mutex_;
  Sink sink_;  // guarded by mutex_; null once it has the answer
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_SINGLE_ANSWER_H_
