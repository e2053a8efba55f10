#ifndef CURSORWIRE_SRC_UPSTREAM_VIOLATIONS_H_
#define CURSORWIRE_SRC_UPSTREAM_VIOLATIONS_H_

#include <absl/base/thread_annotations.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cursorwire::upstream {

// What clients did that the protocol does not allow. Thread-safe.
class Violations {
 public:
  void Add(std::string what) {
    const std::lock_guard lock(mutex_);
    list_.push_back(std::move(what));
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return list_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> list_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_VIOLATIONS_H_
