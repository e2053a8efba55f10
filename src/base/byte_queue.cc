#include "base/byte_queue.h"

#include <cassert>
#include <utility>

namespace cursorwire {
namespace {

// A drained queue frees memory above this, so that one large message does not keep it for the
// lifetime of a connection. Messages of 64 KiB, one after the other, use the same memory.
constexpr size_t kKeptCapacity = size_t{160} * 1024;

}  // namespace

void ByteQueue::Append(std::string_view bytes) {
  Compact();
  buffer_.append(bytes);
}

void ByteQueue::Append(std::string&& bytes) {
  if (!empty()) return Append(std::string_view(bytes));
  buffer_ = std::move(bytes);
  begin_ = 0;
}

void ByteQueue::Consume(size_t count) {
  assert(count <= size() && "only bytes that were seen in view() are consumed");
  begin_ += count;
  if (empty()) Clear();
}

void ByteQueue::Clear() {
  begin_ = 0;
  if (buffer_.capacity() > kKeptCapacity) {
    buffer_ = std::string();
  } else {
    buffer_.clear();
  }
}

void ByteQueue::Compact() {
  if (begin_ == 0 || begin_ < buffer_.size() - begin_) return;
  buffer_.erase(0, begin_);
  begin_ = 0;
}

}  // namespace cursorwire
