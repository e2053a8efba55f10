#ifndef CURSORWIRE_SRC_DOCUMENTS_ENDED_CALLS_H_
#define CURSORWIRE_SRC_DOCUMENTS_ENDED_CALLS_H_

#include <cstddef>
#include <deque>
#include <set>
#include <string>

namespace cursorwire::documents {

// Ids of ended tool calls, the last 4,096: a lost turn that goes on may tell of a call again. A
// value.
class EndedCalls {
 public:
  // An empty id says nothing.
  void Add(const std::string& call_id) {
    if (call_id.empty() || !ids_.insert(call_id).second) return;
    order_.push_back(call_id);
    held_bytes_ += HeldBytes(call_id);
    if (order_.size() <= kMaxEndedCalls) return;
    held_bytes_ -= HeldBytes(order_.front());
    ids_.erase(order_.front());
    order_.pop_front();
  }
  bool Contains(const std::string& call_id) const { return ids_.contains(call_id); }
  // Ids that are longer than usual; the others are bounded by their number.
  size_t held_bytes() const { return held_bytes_; }

 private:
  static constexpr size_t kMaxEndedCalls = 4096;
  static constexpr size_t kUsualBytes = 64;

  static size_t HeldBytes(const std::string& call_id) {
    return call_id.size() <= kUsualBytes ? 0 : 2 * call_id.size();
  }

  std::set<std::string> ids_;
  std::deque<std::string> order_;
  size_t held_bytes_ = 0;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_ENDED_CALLS_H_
