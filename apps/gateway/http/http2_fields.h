#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_FIELDS_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_FIELDS_H_

#include <absl/strings/ascii.h>
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/http_message.h"

namespace cursor_gateway {

// The fields of an answer as nghttp2 takes them. A value.
class Http2Fields {
 public:
  void Add(std::string_view name, std::string_view value) {
    std::string lower(name);
    absl::AsciiStrToLower(&lower);  // RFC 9113, 8.2
    fields_.emplace_back(std::move(lower), value);
  }

  // Point into this.
  std::vector<nghttp2_nv> ToNvs() {
    std::vector<nghttp2_nv> nvs;
    for (auto& [name, value] : fields_) {
      nvs.push_back({reinterpret_cast<uint8_t*>(name.data()),
                     reinterpret_cast<uint8_t*>(value.data()), name.size(), value.size(),
                     NGHTTP2_NV_FLAG_NONE});
    }
    return nvs;
  }

 private:
  HttpFields fields_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_FIELDS_H_
