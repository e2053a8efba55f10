#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_NGHTTP2_SERVER_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_NGHTTP2_SERVER_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace cursor_gateway {

// What a session of nghttp2 tells, while bytes are received or taken. None of it may call the
// session.
class Nghttp2Events {
 public:
  // The frame begins a header block.
  virtual void OnBeginHeaders(const nghttp2_frame& frame) = 0;
  // False: the session must read no more, and its function fails.
  virtual bool OnField(const nghttp2_frame& frame, std::string_view name,
                       std::string_view value) = 0;
  // Of DATA; the frame itself comes behind its last bytes.
  virtual void OnData(int32_t stream_id, std::string_view bytes) = 0;
  // A whole frame, or the last of a header block. Not one that breaks the protocol.
  virtual void OnFrame(const nghttp2_frame& frame) = 0;
  virtual void OnFrameSent(const nghttp2_frame& frame) = 0;
  virtual void OnStreamClose(int32_t stream_id) = 0;

 protected:
  ~Nghttp2Events() = default;
};

struct Nghttp2SessionDeleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
using Nghttp2SessionPtr = std::unique_ptr<nghttp2_session, Nghttp2SessionDeleter>;

// The server's side of a connection, whose user data is `events`, which outlive it. It gives no
// credit by itself, and resets streams with a field that HTTP does not allow.
Nghttp2SessionPtr NewNghttp2Server(Nghttp2Events& events);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_NGHTTP2_SERVER_H_
