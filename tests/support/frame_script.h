#ifndef CURSORWIRE_TESTS_SUPPORT_FRAME_SCRIPT_H_
#define CURSORWIRE_TESTS_SUPPORT_FRAME_SCRIPT_H_

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/headers.h"

namespace cursorwire::test {

// Source: RFC 9113, sections 3.4, 6 and 6.5.2.
constexpr std::string_view kClientMagic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
enum class FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kRstStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};
constexpr uint8_t kFlagEndStream = 0x1;
constexpr uint8_t kFlagAck = 0x1;
constexpr uint8_t kFlagEndHeaders = 0x4;
constexpr uint8_t kFlagPadded = 0x8;
constexpr uint16_t kSettingHeaderTableSize = 1;
constexpr uint16_t kSettingEnablePush = 2;
constexpr uint16_t kSettingMaxConcurrentStreams = 3;
constexpr uint16_t kSettingInitialWindowSize = 4;
constexpr uint16_t kSettingMaxFrameSize = 5;
constexpr uint16_t kSettingMaxHeaderListSize = 6;

// Error codes of RST_STREAM and GOAWAY beside those of h2/session.h. Source: RFC 9113, section 7.
constexpr uint32_t kProtocolErrorCode = 0x1;
constexpr uint32_t kInternalErrorCode = 0x2;
constexpr uint32_t kEnhanceYourCalm = 0xb;
constexpr uint32_t kInadequateSecurity = 0xc;
constexpr size_t kFrameHeaderBytes = 9;
constexpr size_t kInitialWindow = 65535;

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

// One frame as it came. `headers` holds the decoded fields if it ends a header block; those of a
// block in several frames come with the last of them.
struct Frame {
  FrameType type = FrameType::kData;
  uint8_t flags = 0;
  int32_t stream_id = 0;
  std::string payload;
  connect::Headers headers;

  bool has(uint8_t flag) const { return (flags & flag) != 0; }
  // The error code of RST_STREAM, or of GOAWAY, where it stands after the last stream id.
  uint32_t error_code() const {
    const size_t at = type == FrameType::kGoAway ? 4 : 0;
    return payload.size() < at + 4 ? ~0u : ReadBigEndian(std::string_view(payload).substr(at, 4));
  }
  // The increment of WINDOW_UPDATE, or the last stream id of GOAWAY.
  uint32_t first_word() const { return ReadBigEndian(std::string_view(payload).substr(0, 4)); }
};

inline void PrintTo(const Frame& frame, std::ostream* out) {
  *out << "frame of type " << static_cast<int>(frame.type) << ", flags "
       << static_cast<int>(frame.flags) << ", stream " << frame.stream_id << ", "
       << frame.payload.size() << " bytes";
}

inline std::string EncodeFrame(FrameType type, uint8_t flags, int32_t stream_id,
                               std::string_view payload) {
  std::string bytes = BigEndian(static_cast<uint32_t>(payload.size()), 3);
  bytes.push_back(static_cast<char>(type));
  bytes.push_back(static_cast<char>(flags));
  bytes += BigEndian(static_cast<uint32_t>(stream_id), 4);
  bytes += payload;
  return bytes;
}

// The other end of a connection, made of raw frames: its functions give the bytes of frames to
// send, and Read() takes what the tested end sent apart. It knows no rules: it sends in any order
// what it is told, and answers nothing. Only header blocks go through HPACK, whose state makes it
// necessary to hand the bytes of Headers() over in the order of the calls; the operands of `+` are
// evaluated in no certain order, so that one expression has room for one call.
class FrameScript {
 public:
  FrameScript() {
    nghttp2_hd_deflater* deflater = nullptr;
    nghttp2_hd_inflater* inflater = nullptr;
    EXPECT_EQ(nghttp2_hd_deflate_new(&deflater, 4096), 0);
    EXPECT_EQ(nghttp2_hd_inflate_new(&inflater), 0);
    deflater_.reset(deflater);
    inflater_.reset(inflater);
  }

  using SettingList = std::vector<std::pair<uint16_t, uint32_t>>;

  static std::string Settings(const SettingList& settings = {}) {
    std::string payload;
    for (const auto& [id, value] : settings) payload += BigEndian(id, 2) + BigEndian(value, 4);
    return EncodeFrame(FrameType::kSettings, 0, 0, payload);
  }
  static std::string SettingsAck() { return EncodeFrame(FrameType::kSettings, kFlagAck, 0, ""); }
  static std::string Data(int32_t stream_id, std::string_view bytes, uint8_t flags = 0) {
    return EncodeFrame(FrameType::kData, flags, stream_id, bytes);
  }
  // As many DATA frames as `bytes` needs at the initial limit of 16 KiB a frame.
  static std::string LongData(int32_t stream_id, std::string_view bytes) {
    std::string frames;
    for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(bytes.size(), 16384))) {
      frames += Data(stream_id, bytes.substr(0, 16384));
    }
    return frames;
  }
  static std::string RstStream(int32_t stream_id, uint32_t code) {
    return EncodeFrame(FrameType::kRstStream, 0, stream_id, BigEndian(code, 4));
  }
  static std::string GoAway(int32_t last_stream_id, uint32_t code,
                            std::string_view debug_data = "") {
    return EncodeFrame(FrameType::kGoAway, 0, 0,
                       BigEndian(static_cast<uint32_t>(last_stream_id), 4) + BigEndian(code, 4) +
                           std::string(debug_data));
  }
  static std::string WindowUpdate(int32_t stream_id, uint32_t increment) {
    return EncodeFrame(FrameType::kWindowUpdate, 0, stream_id, BigEndian(increment, 4));
  }
  static std::string Ping(std::string_view eight_bytes, uint8_t flags = 0) {
    return EncodeFrame(FrameType::kPing, flags, 0, eight_bytes);
  }

  // HEADERS, and CONTINUATION if the block is over `frame_bytes`. END_HEADERS is added.
  std::string Headers(int32_t stream_id, const connect::Headers& headers, uint8_t flags = 0,
                      size_t frame_bytes = 16384) {
    const std::string block = Deflate(headers);
    std::string frames;
    FrameType type = FrameType::kHeaders;
    std::string_view rest = block;
    do {
      const std::string_view piece = rest.substr(0, frame_bytes);
      rest.remove_prefix(piece.size());
      const uint8_t end = rest.empty() ? kFlagEndHeaders : 0;
      frames += EncodeFrame(type, static_cast<uint8_t>(flags | end), stream_id, piece);
      type = FrameType::kContinuation;
      flags = 0;
    } while (!rest.empty());
    return frames;
  }

  // What the tested end sent since the last call, as frames. The client's magic, if `bytes` begins
  // with it, is taken off; see saw_magic(). A frame that is not complete fails the test.
  std::vector<Frame> Read(std::string_view bytes) {
    if (bytes.substr(0, kClientMagic.size()) == kClientMagic) {
      saw_magic_ = true;
      bytes.remove_prefix(kClientMagic.size());
    }
    std::vector<Frame> frames;
    while (!bytes.empty()) {
      if (bytes.size() < kFrameHeaderBytes) {
        ADD_FAILURE() << "cut frame header of " << bytes.size() << " bytes";
        break;
      }
      const size_t size = ReadBigEndian(bytes.substr(0, 3));
      if (bytes.size() - kFrameHeaderBytes < size) {
        ADD_FAILURE() << "cut frame payload";
        break;
      }
      frames.push_back({.type = static_cast<FrameType>(bytes[3]),
                        .flags = static_cast<uint8_t>(bytes[4]),
                        .stream_id = static_cast<int32_t>(ReadBigEndian(bytes.substr(5, 4))),
                        .payload = std::string(bytes.substr(kFrameHeaderBytes, size)),
                        .headers = {}});
      bytes.remove_prefix(kFrameHeaderBytes + size);
      CollectHeaders(frames.back());
    }
    return frames;
  }

  bool saw_magic() const { return saw_magic_; }

 private:
  struct Deleter {
    void operator()(nghttp2_hd_deflater* deflater) const { nghttp2_hd_deflate_del(deflater); }
    void operator()(nghttp2_hd_inflater* inflater) const { nghttp2_hd_inflate_del(inflater); }
  };

  std::string Deflate(const connect::Headers& headers) {
    std::vector<nghttp2_nv> nvs;
    for (const connect::Header& field : headers) {
      // nghttp2 changes neither; its C structure is not const.
      const auto mutable_bytes = [](const std::string& text) {
        return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
      };
      nvs.push_back({mutable_bytes(field.name), mutable_bytes(field.value), field.name.size(),
                     field.value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    std::vector<uint8_t> block(nghttp2_hd_deflate_bound(deflater_.get(), nvs.data(), nvs.size()));
    const ssize_t size =
        nghttp2_hd_deflate_hd(deflater_.get(), block.data(), block.size(), nvs.data(), nvs.size());
    EXPECT_GE(size, 0);
    return {block.begin(), block.begin() + std::max<ssize_t>(size, 0)};
  }

  // Header blocks with padding or priority are not sent by the tested end.
  void CollectHeaders(Frame& frame) {
    if (frame.type != FrameType::kHeaders && frame.type != FrameType::kContinuation) return;
    EXPECT_FALSE(frame.has(kFlagPadded));
    block_ += frame.payload;
    if (!frame.has(kFlagEndHeaders)) return;
    const std::string block = std::exchange(block_, std::string());
    auto* next = reinterpret_cast<const uint8_t*>(block.data());
    size_t rest = block.size();
    for (;;) {
      nghttp2_nv field = {};
      int flags = 0;
      const ssize_t taken = nghttp2_hd_inflate_hd2(inflater_.get(), &field, &flags, next, rest, 1);
      if (taken < 0) {
        ADD_FAILURE() << "broken header block: " << nghttp2_strerror(static_cast<int>(taken));
        return;
      }
      next += taken;
      rest -= static_cast<size_t>(taken);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        frame.headers.Add({reinterpret_cast<const char*>(field.name), field.namelen},
                          {reinterpret_cast<const char*>(field.value), field.valuelen});
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
      if (rest == 0 && (flags & NGHTTP2_HD_INFLATE_EMIT) == 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_.get());
  }

  std::unique_ptr<nghttp2_hd_deflater, Deleter> deflater_;
  std::unique_ptr<nghttp2_hd_inflater, Deleter> inflater_;
  std::string block_;
  bool saw_magic_ = false;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_FRAME_SCRIPT_H_
