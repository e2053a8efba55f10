#ifndef CURSORWIRE_TESTS_PROCESS_READ_TO_END_H_
#define CURSORWIRE_TESTS_PROCESS_READ_TO_END_H_

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/file_descriptor.h"

namespace cursorwire::test {

// All that comes from a pipe until nobody has its other end.
inline std::string ReadToEnd(const FileDescriptor& end) {
  std::string text;
  std::array<char, 4096> block{};
  while (true) {
    pollfd wait{.fd = end.get(), .events = POLLIN, .revents = 0};
    ::poll(&wait, 1, -1);
    const ssize_t count = ::read(end.get(), block.data(), block.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return text;
    text.append(block.data(), static_cast<size_t>(count));
  }
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_PROCESS_READ_TO_END_H_
