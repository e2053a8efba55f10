#ifndef CURSORWIRE_APPS_CURSOR_CHAT_FILE_DESCRIPTOR_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace cursor_chat {

// Owns a file descriptor; negative: owns nothing.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_FILE_DESCRIPTOR_H_
