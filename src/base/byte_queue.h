#ifndef CURSORWIRE_SRC_BASE_BYTE_QUEUE_H_
#define CURSORWIRE_SRC_BASE_BYTE_QUEUE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursorwire {

// First-in first-out bytes in one contiguous buffer. Appending and consuming take linear time in
// total, whatever the sizes of the pieces: bytes are moved only after at least as many were
// consumed. Thread-compatible.
class ByteQueue {
 public:
  void Append(std::string_view bytes);
  // Takes the string over when the queue is empty, and copies otherwise.
  void Append(std::string&& bytes);

  // Everything that was not consumed. Valid until the next Append() or Consume().
  std::string_view view() const { return {buffer_.data() + begin_, size()}; }
  size_t size() const { return buffer_.size() - begin_; }
  bool empty() const { return size() == 0; }

  // Drops the first `count` bytes; count <= size().
  void Consume(size_t count);
  void Clear();

 private:
  void Compact();

  std::string buffer_;
  size_t begin_ = 0;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_BYTE_QUEUE_H_
