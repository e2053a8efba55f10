#ifndef CURSORWIRE_FUZZ_SUPPORT_HTTP2_FRAMES_H_
#define CURSORWIRE_FUZZ_SUPPORT_HTTP2_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "support/harness.h"

namespace cursorwire::fuzz {

// Source: RFC 9113, sections 3.4, 4.1 and 6.
constexpr std::string_view kClientMagic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr size_t kFrameHeaderBytes = 9;
constexpr size_t kMaxFrameBytes = 16384;  // of a payload, unless SETTINGS allow more
constexpr uint32_t kInitialWindow = 65535;
enum FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kRstStream = 3,
  kSettings = 4,
  kWindowUpdate = 8,
  kContinuation = 9,
};
constexpr uint8_t kEndStreamFlag = 0x1;
constexpr uint8_t kEndHeadersFlag = 0x4;

inline std::string BigEndian(uint32_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
  return out;
}

inline uint32_t ReadBigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (char c : bytes) value = value << 8 | static_cast<uint8_t>(c);
  return value;
}

inline std::string Frame(FrameType type, uint8_t flags, int32_t stream_id,
                         std::string_view payload) {
  std::string bytes = BigEndian(static_cast<uint32_t>(payload.size()), 3);
  bytes.push_back(static_cast<char>(type));
  bytes.push_back(static_cast<char>(flags));
  bytes += BigEndian(static_cast<uint32_t>(stream_id), 4);
  bytes += payload;
  return bytes;
}

// As many DATA frames as `bytes` need, at least one; `flags` are those of the last frame.
inline std::string DataFrames(int32_t stream_id, std::string_view bytes, uint8_t flags) {
  std::string frames;
  for (; bytes.size() > kMaxFrameBytes; bytes.remove_prefix(kMaxFrameBytes)) {
    frames += Frame(kData, 0, stream_id, bytes.substr(0, kMaxFrameBytes));
  }
  return frames + Frame(kData, flags, stream_id, bytes);
}

// Header blocks of only literals and indexed fields, which need no HPACK state.
// Source: RFC 7541, section 6 and appendix A.
inline std::string RequestBlock() { return "\x83\x87\x84\x01\x01x"; }  // POST https://x/
inline std::string ResponseBlock(std::string_view content_type) {
  std::string block = "\x88\x0F\x10";                       // :status 200, content-type
  block.push_back(static_cast<char>(content_type.size()));  // below 127
  return block + std::string(content_type);
}
inline std::string NotFoundBlock() { return "\x8D"; }  // :status 404
inline std::string TrailerBlock() { return std::string("\0\1x\1y", 5); }

// Parses one direction of a connection and counts its frames, wherever the bytes are split.
class FrameCounter {
 public:
  struct Stream {
    bool opened = false;        // HEADERS came
    bool ended = false;         // END_STREAM or RST_STREAM
    size_t data_bytes = 0;      // payloads of DATA, including padding
    size_t credited_bytes = 0;  // by WINDOW_UPDATE
  };

  // kYes: for our own side, which must obey the protocol.
  enum class Strict { kNo, kYes };

  FrameCounter(std::string_view magic, Strict strict) : magic_(magic), strict_(strict) {}

  void Feed(std::string_view bytes) {
    rest_ += bytes;
    std::string_view rest = rest_;
    if (!magic_.empty() && rest.size() >= magic_.size()) {
      if (strict_ == Strict::kYes) Check(rest.starts_with(magic_));
      rest.remove_prefix(magic_.size());
      magic_ = {};
    }
    while (magic_.empty() && rest.size() >= kFrameHeaderBytes) {
      const size_t size = ReadBigEndian(rest.substr(0, 3));
      if (rest.size() - kFrameHeaderBytes < size) break;
      OnFrame(rest.substr(0, kFrameHeaderBytes), rest.substr(kFrameHeaderBytes, size));
      rest.remove_prefix(kFrameHeaderBytes + size);
    }
    rest_ = std::string(rest);
  }

  bool between_frames() const { return rest_.empty(); }
  const Stream& stream(int32_t id) { return streams_[id]; }
  // DATA bytes of all streams together.
  size_t data_bytes() const { return data_bytes_; }

 private:
  void OnFrame(std::string_view header, std::string_view payload) {
    const auto type = static_cast<uint8_t>(header[3]);
    const auto flags = static_cast<uint8_t>(header[4]);
    const auto id = static_cast<int32_t>(ReadBigEndian(header.substr(5)) & 0x7fffffff);
    Stream& stream = streams_[id];
    if (strict_ == Strict::kYes) CheckFrame(type, id, stream, payload);
    switch (type) {
      case kHeaders:
        stream.opened = true;
        stream.ended = stream.ended || (flags & kEndStreamFlag) != 0;
        break;
      case kData:
        stream.data_bytes += payload.size();
        data_bytes_ += payload.size();
        stream.ended = stream.ended || (flags & kEndStreamFlag) != 0;
        break;
      case kRstStream:
        stream.ended = true;
        break;
      case kWindowUpdate:
        stream.credited_bytes += ReadBigEndian(payload.substr(0, 4)) & 0x7fffffff;
        break;
      default:
        break;
    }
  }

  static void CheckFrame(uint8_t type, int32_t id, const Stream& stream, std::string_view payload) {
    Check(payload.size() <= kMaxFrameBytes);
    Check(type <= kContinuation);
    if (type == kData || type == kHeaders) Check(id != 0 && !stream.ended);
    if (type == kData) Check(stream.opened);
    if (type == kWindowUpdate) Check(payload.size() == 4 && ReadBigEndian(payload) != 0);
  }

  std::string_view magic_;
  const Strict strict_;
  std::string rest_;
  std::map<int32_t, Stream> streams_;  // 0 is the connection itself
  size_t data_bytes_ = 0;
};

}  // namespace cursorwire::fuzz

#endif  // CURSORWIRE_FUZZ_SUPPORT_HTTP2_FRAMES_H_
