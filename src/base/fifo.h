#ifndef CURSORWIRE_SRC_BASE_FIFO_H_
#define CURSORWIRE_SRC_BASE_FIFO_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace cursorwire {

// First-in first-out values in one block of memory, which the next ones use again: filling and
// emptying it over and over allocates nothing. Thread-compatible.
template <typename T>
class Fifo {
 public:
  bool empty() const { return next_ == values_.size(); }
  size_t size() const { return values_.size() - next_; }

  template <typename... Args>
  void emplace_back(Args&&... args) {
    Compact();
    values_.emplace_back(std::forward<Args>(args)...);
  }

  // The next one to be taken; for few values, which all move if none was taken.
  void emplace_front(T value) {
    if (next_ == 0) {
      values_.insert(values_.begin(), std::move(value));
    } else {
      values_[--next_] = std::move(value);
    }
  }

  // It must not be empty.
  T& front() { return values_[next_]; }
  // Move out of front() before: a value may be destroyed later.
  void pop_front() {
    if (++next_ == values_.size()) clear();
  }
  // Drops those for which `predicate` holds.
  template <typename Predicate>
  void erase_if(Predicate predicate) {
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(next_);
    values_.erase(std::remove_if(first, values_.end(), predicate), values_.end());
    if (empty()) clear();
  }
  void clear() {
    next_ = 0;
    if (values_.capacity() > kKeptValues) {
      values_ = std::vector<T>();
    } else {
      values_.clear();
    }
  }

 private:
  // What an emptied one keeps room for.
  static constexpr size_t kKeptValues = 1024;

  // Values are moved only after at least as many were taken.
  void Compact() {
    if (next_ == 0 || next_ < size() || values_.size() < values_.capacity()) return;
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }

  std::vector<T> values_;
  size_t next_ = 0;  // before it: values that were taken
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_FIFO_H_
