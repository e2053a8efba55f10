#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/http_message.h"

namespace cursor_gateway {

// What a field counts, beside its name and value. Source: RFC 9113, 6.5.2.
inline constexpr size_t kFieldOverheadBytes = 32;

// The head of a request, as its fields come. nghttp2 has checked each of them. A value.
class Http2RequestHead {
 public:
  void Add(std::string_view name, std::string_view value);

  // It is over kMaxHeadBytes, counted as in RFC 9113, 6.5.2. What is over that is not kept.
  bool is_too_large() const;
  const std::string& method() const { return head_.method; }

  // The whole head. `:authority` is its field Host, as in HTTP/1.1. nullopt: there is a `host` as
  // well, and it differs (RFC 9113, 8.3.1).
  std::optional<HttpHead> Take();

 private:
  HttpHead head_;
  std::optional<std::string> authority_;
  size_t bytes_ = 0;
};

// The length that the body is announced with. nullopt: none.
std::optional<uint64_t> ContentLengthOf(const HttpHead& head);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_REQUEST_H_
