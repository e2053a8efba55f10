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
// alone.
struct BodyBudget {
  size_t max_bytes = 0;
  size_t max_owner_bytes = 0;
  size_t bytes = 0;
  std::map<std::string, size_t> owner_bytes{};  // of those that have bodies
};

// What one body takes of a budget. The bytes are given back when the share is destroyed, also where
// the server is gone before. Thread-compatible, together with the others of the budget.
class BodyShare {
 public:
  BodyShare(std::shared_ptr<BodyBudget> budget, std::string owner)
      : budget_(std::move(budget)), owner_(std::move(owner)) {}
  ~BodyShare() {
    budget_->bytes -= bytes_;
    if (bytes_ > 0 && (budget_->owner_bytes[owner_] -= bytes_) == 0) {
      budget_->owner_bytes.erase(owner_);
    }
  }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  // Whether so many bytes more may come.
  bool Fits(size_t bytes) const {
    if (bytes > budget_->max_bytes - budget_->bytes) return false;
    const auto owned = budget_->owner_bytes.find(owner_);
    return owner_.empty() || owned == budget_->owner_bytes.end() ||
           bytes <= budget_->max_owner_bytes - owned->second;
  }
  // False: they do not fit, and are not counted.
  bool Add(size_t bytes) {
    if (!Fits(bytes)) return false;
    if (bytes > 0) budget_->owner_bytes[owner_] += bytes;
    budget_->bytes += bytes;
    bytes_ += bytes;
    return true;
  }
  size_t bytes() const { return bytes_; }

 private:
  const std::shared_ptr<BodyBudget> budget_;
  const std::string owner_;
  size_t bytes_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_BODY_BUDGET_H_
