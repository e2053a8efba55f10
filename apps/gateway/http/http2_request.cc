#include "http/http2_request.h"

#include <charconv>
#include <limits>
#include <utility>

#include "http/http_server.h"

namespace cursor_gateway {

void Http2RequestHead::Add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + kFieldOverheadBytes;
  if (is_too_large()) {
    head_.fields = {};
    return;
  }
  if (name == ":method") {
    head_.method = value;
  } else if (name == ":path") {
    head_.path = value.substr(0, value.find('?'));
  } else if (name == ":authority") {
    authority_ = value;
  } else if (!name.starts_with(':')) {
    head_.fields.emplace_back(name, value);
  }
}

bool Http2RequestHead::is_too_large() const { return bytes_ > kMaxHeadBytes; }

std::optional<HttpHead> Http2RequestHead::Take() {
  if (authority_) {
    const std::string* host = head_.Find("host");
    if (host == nullptr) {
      head_.fields.emplace_back("host", *authority_);
    } else if (!SameWord(*host, *authority_)) {
      return std::nullopt;
    }
  }
  return std::move(head_);
}

std::optional<uint64_t> ContentLengthOf(const HttpHead& head) {
  const std::string* text = head.Find("content-length");
  if (text == nullptr) return std::nullopt;
  uint64_t length = 0;
  const auto end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, length);
  // nghttp2 lets no other text pass.
  if (error != std::errc() || rest != end) return std::numeric_limits<uint64_t>::max();
  return length;
}

}  // namespace cursor_gateway
