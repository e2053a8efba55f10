#include "compat_stream.h"

#include <google/protobuf/message_lite.h>

#include <istream>
#include <ostream>

namespace cursorwire::conformance {
namespace {

constexpr size_t kLengthBytes = 4;

}  // namespace

std::optional<std::string> ReadMessage(std::istream& in) {
  unsigned char prefix[kLengthBytes];
  if (!in.read(reinterpret_cast<char*>(prefix), kLengthBytes)) return std::nullopt;
  uint32_t length = 0;
  for (const unsigned char byte : prefix) length = length << 8 | byte;
  std::string message(length, '\0');
  if (!in.read(message.data(), static_cast<std::streamsize>(length))) return std::nullopt;
  return message;
}

void MessageWriter::Write(const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  std::string prefix;
  for (const int shift : {24, 16, 8, 0}) prefix += static_cast<char>(bytes.size() >> shift);
  const std::lock_guard lock(mutex_);
  out_ << prefix << bytes << std::flush;
}

}  // namespace cursorwire::conformance
