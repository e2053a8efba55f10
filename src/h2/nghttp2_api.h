#ifndef CURSORWIRE_SRC_H2_NGHTTP2_API_H_
#define CURSORWIRE_SRC_H2_NGHTTP2_API_H_

// The only include of nghttp2 in the library.
#include <nghttp2/nghttp2.h>

#include <memory>

// Later than the 1.52 that is the oldest version we take, but backported with the limit that it
// lifts: eight CONTINUATION frames, of which each counts once for every piece in which it arrives.
// Weak, so that a library without both links as well.
// NOLINTNEXTLINE(readability-redundant-declaration): newer headers have it, too
extern "C" __attribute__((weak)) void nghttp2_option_set_max_continuations(nghttp2_option* option,
                                                                           size_t val);

namespace cursorwire::h2 {

struct Nghttp2Deleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

template <typename T>
using Nghttp2Ptr = std::unique_ptr<T, Nghttp2Deleter>;

}  // namespace cursorwire::h2

#endif  // CURSORWIRE_SRC_H2_NGHTTP2_API_H_
