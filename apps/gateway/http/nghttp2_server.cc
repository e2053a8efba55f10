#include "http/nghttp2_server.h"

// Later than nghttp2 1.52, but backported with the limit that it lifts: eight CONTINUATION frames,
// of which each counts once for every piece in which it arrives. Weak, so that a library without
// both links as well.
// NOLINTNEXTLINE(readability-redundant-declaration): newer headers have it, too
extern "C" __attribute__((weak)) void nghttp2_option_set_max_continuations(nghttp2_option* option,
                                                                           size_t val);

namespace cursor_gateway {

namespace {

// Header blocks are bounded by their fields; this bounds the work on one that is over.
constexpr size_t kMaxContinuations = 1024;

struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

Nghttp2Events& EventsOf(void* user_data) { return *static_cast<Nghttp2Events*>(user_data); }

std::string_view ViewOf(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

void SetCallbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
        EventsOf(user_data).OnBeginHeaders(*frame);
        return 0;
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks,
      [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
         const uint8_t* value, size_t value_size, uint8_t, void* user_data) -> int {
        const bool goes_on =
            EventsOf(user_data).OnField(*frame, ViewOf(name, name_size), ViewOf(value, value_size));
        return goes_on ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
      });
  // RFC 9113, 8.2.1
  nghttp2_session_callbacks_set_on_invalid_header_callback(
      callbacks,
      [](nghttp2_session*, const nghttp2_frame*, const uint8_t*, size_t, const uint8_t*, size_t,
         uint8_t, void*) -> int { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
        EventsOf(user_data).OnFrame(*frame);
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size,
                    void* user_data) {
        EventsOf(user_data).OnData(id, ViewOf(bytes, size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
        EventsOf(user_data).OnFrameSent(*frame);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, int32_t id, uint32_t, void* user_data) {
        EventsOf(user_data).OnStreamClose(id);
        return 0;
      });
}

}  // namespace

Nghttp2SessionPtr NewNghttp2Server(Nghttp2Events& events) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  const std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> callbacks_owner(callbacks);
  SetCallbacks(callbacks);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  const std::unique_ptr<nghttp2_option, CallbacksDeleter> option_owner(option);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  if (nghttp2_option_set_max_continuations != nullptr) {
    nghttp2_option_set_max_continuations(option, kMaxContinuations);
  }
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new2(&session, callbacks, &events, option);
  return Nghttp2SessionPtr(session);
}

}  // namespace cursor_gateway
