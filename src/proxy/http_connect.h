#ifndef CURSORWIRE_SRC_PROXY_HTTP_CONNECT_H_
#define CURSORWIRE_SRC_PROXY_HTTP_CONNECT_H_

#include <cstddef>

#include "proxy/tunnel.h"

namespace cursorwire::proxy {

// Of a proxy's answer, with those of status 1xx before it.
inline constexpr size_t kMaxProxyHeadBytes = size_t{16} * 1024;
// Of its reason, in an error.
inline constexpr size_t kMaxProxyReasonBytes = 200;

// CONNECT of HTTP/1.1: RFC 9110, 9.3.6.
class HttpConnect final : public Tunnel {
 public:
  HttpConnect(const std::optional<ProxyUser>& user, const std::string& host, int port);

  std::string TakeOutput() override;
  absl::StatusOr<std::optional<std::string>> Receive(std::string_view bytes) override;

 private:
  absl::Status Refused(std::string_view head);
  absl::Status WantsUser(std::string_view head) const;

  std::string request_;
  const bool has_user_;
  std::string answer_;  // from the last head on
  size_t head_bytes_ = 0;
};

}  // namespace cursorwire::proxy

#endif  // CURSORWIRE_SRC_PROXY_HTTP_CONNECT_H_
