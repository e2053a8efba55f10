#ifndef CURSORWIRE_TESTS_CONFORMANCE_COMPAT_STREAM_H_
#define CURSORWIRE_TESTS_CONFORMANCE_COMPAT_STREAM_H_

#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>

namespace google::protobuf {
class MessageLite;
}

namespace cursorwire::conformance {

// What the runner writes and reads: messages with their length in front of each, 4 bytes,
// big-endian.

// The bytes of the next message; nullopt at the end of the input, or where it breaks off.
std::optional<std::string> ReadMessage(std::istream& in);

// Thread-safe: the calls of a client end in any order.
class MessageWriter {
 public:
  explicit MessageWriter(std::ostream& out) : out_(out) {}

  void Write(const google::protobuf::MessageLite& message);

 private:
  std::mutex mutex_;
  std::ostream& out_;
};

}  // namespace cursorwire::conformance

#endif  // CURSORWIRE_TESTS_CONFORMANCE_COMPAT_STREAM_H_
