#ifndef CURSORWIRE_SRC_BASE_FILE_DESCRIPTOR_H_
#define CURSORWIRE_SRC_BASE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace cursorwire {

// An owned file descriptor. Move-only; thread-compatible.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // The caller closes it.
  int Release() { return std::exchange(fd_, -1); }
  // Closes it.
  void Reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_FILE_DESCRIPTOR_H_
