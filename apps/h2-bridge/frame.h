#ifndef CURSORWIRE_APPS_H2_BRIDGE_FRAME_H_
#define CURSORWIRE_APPS_H2_BRIDGE_FRAME_H_

#include <absl/status/statusor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace h2_bridge {

// A message between parent and bridge is its length in 4 bytes, big-endian, and then its bytes, in
// both directions. Source: docs/bridge.md, "Frames".
inline constexpr size_t kFramePrefixBytes = 4;
// Longest message of the parent.
inline constexpr size_t kMaxMessageBytes = size_t{64} * 1024 * 1024;

// The prefix of a message of `bytes` bytes.
std::array<char, kFramePrefixBytes> FramePrefix(uint32_t bytes);

// Some bytes of one message, in order. A message without bytes is one empty piece.
struct FramePiece {
  size_t message_bytes = 0;  // of the whole message
  std::string_view bytes{};  // into the input
  bool first = false;
  bool last = false;
};

// Takes the parent's bytes apart, however they are split, and keeps none of them: a message is
// handed out in the pieces in which it came.
//
// Order: Next() for each input until it returns nullopt. After an error the parser stays failed.
// Thread-compatible.
class FrameParser {
 public:
  // Takes the next piece off the front of `input`; nullopt: `input` is used up.
  //   kResourceExhausted  a length over kMaxMessageBytes
  absl::StatusOr<std::optional<FramePiece>> Next(std::string_view& input);

  // No message has begun that is not complete.
  bool at_border() const { return prefix_bytes_ == 0 && left_ == 0; }

 private:
  uint32_t prefix_ = 0;
  size_t prefix_bytes_ = 0;  // of the prefix of the next message, so far
  size_t message_bytes_ = 0;
  size_t left_ = 0;  // of the current message
  bool failed_ = false;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_FRAME_H_
