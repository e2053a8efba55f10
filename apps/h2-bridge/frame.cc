#include "frame.h"

#include <algorithm>
#include <string>

namespace h2_bridge {

std::array<char, kFramePrefixBytes> FramePrefix(uint32_t bytes) {
  return {static_cast<char>(bytes >> 24), static_cast<char>(bytes >> 16),
          static_cast<char>(bytes >> 8), static_cast<char>(bytes)};
}

absl::StatusOr<std::optional<FramePiece>> FrameParser::Next(std::string_view& input) {
  bool first = false;
  if (left_ == 0) {
    while (prefix_bytes_ < kFramePrefixBytes && !input.empty() && !failed_) {
      prefix_ = prefix_ << 8 | static_cast<uint8_t>(input.front());
      input.remove_prefix(1);
      ++prefix_bytes_;
    }
    if (prefix_bytes_ < kFramePrefixBytes && !failed_) return std::nullopt;
    message_bytes_ = prefix_;
    if (message_bytes_ > kMaxMessageBytes) {
      failed_ = true;
      return absl::ResourceExhaustedError("a message of " + std::to_string(message_bytes_) +
                                          " bytes is over the limit of " +
                                          std::to_string(kMaxMessageBytes));
    }
    if (message_bytes_ > 0 && input.empty()) return std::nullopt;
    prefix_bytes_ = 0;
    left_ = message_bytes_;
    first = true;
  }
  if (left_ > 0 && input.empty()) return std::nullopt;
  const std::string_view bytes = input.substr(0, left_);
  input.remove_prefix(bytes.size());
  left_ -= bytes.size();
  return FramePiece{
      .message_bytes = message_bytes_, .bytes = bytes, .first = first, .last = left_ == 0};
}

}  // namespace h2_bridge
