#include "http/http2_frames.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <utility>

namespace cursor_gateway {

namespace {

constexpr size_t kFrameHeaderBytes = 9;  // RFC 9113, 4.1

Http2FrameScanner::Frame FrameOf(std::string_view header) {
  const auto byte = [header](size_t at) { return static_cast<uint8_t>(header[at]); };
  return {.payload_bytes = size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2),
          .type = byte(3),
          .flags = byte(4)};
}

}  // namespace

PrefaceMatch MatchPreface(std::string_view bytes) {
  if (bytes.starts_with(kHttp2Preface)) return PrefaceMatch::kWhole;
  return kHttp2Preface.starts_with(bytes) ? PrefaceMatch::kPart : PrefaceMatch::kNo;
}

void Http2FrameScanner::Feed(std::string_view bytes,
                             const std::function<void(const Frame&)>& on_frame) {
  while (!bytes.empty()) {
    const size_t wanted = skip_ > 0 ? skip_ : kFrameHeaderBytes - header_.size();
    const std::string_view piece = bytes.substr(0, std::min(wanted, bytes.size()));
    bytes.remove_prefix(piece.size());
    if (skip_ > 0) {
      skip_ -= piece.size();
      continue;
    }
    header_ += piece;
    if (header_.size() < kFrameHeaderBytes) return;
    frame_ = FrameOf(std::exchange(header_, std::string()));
    if (!in_block_) ++number_;
    const bool is_block = frame_.type == NGHTTP2_HEADERS || frame_.type == NGHTTP2_CONTINUATION;
    in_block_ = is_block && (frame_.flags & NGHTTP2_FLAG_END_HEADERS) == 0;
    skip_ = frame_.payload_bytes;
    on_frame(frame_);
  }
}

std::optional<uint64_t> Http2FrameScanner::Unfinished() const {
  if (number_ == 0) return 0;
  if (in_block_) return number_;
  if (!header_.empty()) return number_ + 1;
  if (skip_ > 0 && frame_.type != NGHTTP2_DATA) return number_;
  return std::nullopt;
}

}  // namespace cursor_gateway
