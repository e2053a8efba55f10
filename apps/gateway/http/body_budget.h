#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cursor_gateway {

// How many bytes the bodies of requests take in memory, over all connections of a server, and how
// many they may: together, and those of one owner. Bodies whose owner is "" have the first bound
// alone. Copies count together. Thread-compatible.
class BodyBudget {
 public:
  BodyBudget(size_t max_bytes, size_t max_owner_bytes)
      : max_bytes_(max_bytes), max_owner_bytes_(max_owner_bytes) {}

  bool Fits(const std::string& owner, size_t bytes) const {
    if (bytes > max_bytes_ - used_->all) return false;
    const auto found = used_->by_owner.find(owner);
    const size_t owned = found == used_->by_owner.end() ? 0 : found->second;
    return owner.empty() || bytes <= max_owner_bytes_ - owned;
  }

 private:
  friend class BodyShare;
  struct Used {
    size_t all = 0;
    std::map<std::string, size_t> by_owner{};  // those that have bodies
  };
  void Take(const std::string& owner, size_t bytes) {
    used_->all += bytes;
    used_->by_owner[owner] += bytes;
  }
  void Give(const std::string& owner, size_t bytes) {
    used_->all -= bytes;
    const auto found = used_->by_owner.find(owner);
    if ((found->second -= bytes) == 0) used_->by_owner.erase(found);
  }

  size_t max_bytes_;
  size_t max_owner_bytes_;
  std::shared_ptr<Used> used_ = std::make_shared<Used>();  // by all copies and shares
};

// What one body takes of the budget. The bytes are given back when the share is destroyed, also
// where the server is gone before. Thread-compatible. One that was moved from may only be
// destroyed.
class BodyShare {
 public:
  BodyShare(BodyBudget budget, std::string owner)
      : budget_(std::move(budget)), owner_(std::move(owner)) {}
  ~BodyShare() { Free(); }
  BodyShare(BodyShare&& other) noexcept
      : budget_(std::move(other.budget_)),
        owner_(std::move(other.owner_)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;
  BodyShare& operator=(BodyShare&&) = delete;

  // False: `bytes` more do not fit, and are not counted.
  bool Add(size_t bytes) {
    if (!budget_.Fits(owner_, bytes)) return false;
    if (bytes > 0) budget_.Take(owner_, bytes);
    bytes_ += bytes;
    return true;
  }
  void Free() {
    if (bytes_ > 0) budget_.Give(owner_, std::exchange(bytes_, 0));
  }
  size_t bytes() const { return bytes_; }

 private:
  BodyBudget budget_;
  std::string owner_;
  size_t bytes_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_
