#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_FRAMES_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cursor_gateway {

// What a client of HTTP/2 sends first. Source: RFC 9113, 3.4.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class PrefaceMatch {
  kNo,     // another protocol
  kPart,   // the bytes so far may become the preface
  kWhole,  // they begin with it
};
PrefaceMatch MatchPreface(std::string_view bytes);

// Follows the frames of a client, behind its preface, wherever the bytes are cut. It judges none of
// them. A value.
class Http2FrameScanner {
 public:
  struct Frame {
    size_t payload_bytes = 0;
    uint8_t type = 0;
    uint8_t flags = 0;
  };

  // Calls `on_frame` when the header of a frame is complete.
  void Feed(std::string_view bytes, const std::function<void(const Frame&)>& on_frame);

  // The number of what the client has begun and not completed: a header block, or a frame other
  // than DATA; 0: the preface and the frame behind it.
  std::optional<uint64_t> Unfinished() const;

 private:
  size_t skip_ = kHttp2Preface.size();  // of the preface, or of a payload
  std::string header_;                  // of the frame that has begun
  Frame frame_;                         // the last whose header is complete
  bool in_block_ = false;               // a header block goes on with the next frame
  uint64_t number_ = 0;                 // of header blocks and other frames
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_FRAMES_H_
