#ifndef CURSORWIRE_SRC_CONTEXT_ROOM_H_
#define CURSORWIRE_SRC_CONTEXT_ROOM_H_

#include <algorithm>
#include <cstddef>

namespace cursorwire::context {

// How many bytes may still be told.
class ByteBudget {
 public:
  // `used` counts against `max_bytes`, and may be more.
  explicit ByteBudget(size_t max_bytes, size_t used = 0)
      : left_(max_bytes - std::min(used, max_bytes)) {}

  // False: they do not fit, and nothing is taken.
  bool Take(size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  size_t left() const { return left_; }

 private:
  size_t left_;
};

}  // namespace cursorwire::context

#endif  // CURSORWIRE_SRC_CONTEXT_ROOM_H_
