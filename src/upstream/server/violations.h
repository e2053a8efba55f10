#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_VIOLATIONS_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_VIOLATIONS_H_

#include <absl/base/thread_annotations.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cursorwire::upstream {

// Records what clients did that the protocol does not allow. Thread-safe.
class Violations {
 public:
  void Add(std::string what) {
    const std::lock_guard lock(mutex_);
    if (list_.size() > kMaxListed) return;
    list_.push_back(list_.size() < kMaxListed ? std::move(what) : "more than are listed here");
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return list_;
  }

 private:
  static constexpr size_t kMaxListed = 1000;

  mutable std::mutex mutex_;
  std::vector<std::string> list_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_VIOLATIONS_H_
