#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_

#include <cstddef>
#include <memory>
#include <utility>

namespace cursor_gateway {

// How many bytes the bodies of requests take in memory, over all connections of a server, and how
// many they may. Copies count together. Thread-compatible.
class BodyBudget {
 public:
  explicit BodyBudget(size_t max_bytes) : max_bytes_(max_bytes) {}

  bool Fits(size_t bytes) const { return bytes <= max_bytes_ - *used_; }

 private:
  friend class BodyShare;
  size_t max_bytes_;
  std::shared_ptr<size_t> used_ = std::make_shared<size_t>(0);  // by all copies and shares
};

// What one body takes of the budget. The bytes are given back when the share is destroyed, also
// where the server is gone before. Thread-compatible. One that was moved from may only be
// destroyed.
class BodyShare {
 public:
  explicit BodyShare(BodyBudget budget) : budget_(std::move(budget)) {}
  ~BodyShare() { Free(); }
  BodyShare(BodyShare&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;
  BodyShare& operator=(BodyShare&&) = delete;

  // False: `bytes` more do not fit, and are not counted.
  bool Add(size_t bytes) {
    if (!budget_.Fits(bytes)) return false;
    *budget_.used_ += bytes;
    bytes_ += bytes;
    return true;
  }
  void Free() {
    if (bytes_ > 0) *budget_.used_ -= std::exchange(bytes_, 0);
  }
  size_t bytes() const { return bytes_; }

 private:
  BodyBudget budget_;
  size_t bytes_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_
