#ifndef CURSORWIRE_SRC_PROXY_SOCKS5_H_
#define CURSORWIRE_SRC_PROXY_SOCKS5_H_

#include <cstddef>
#include <cstdint>

#include "proxy/tunnel.h"

namespace cursorwire::proxy {

// RFC 1928, with the user and password of RFC 1929.
class Socks5 final : public Tunnel {
 public:
  // Of a host's name, a user's name and a password.
  static constexpr size_t kMaxSocksBytes = 255;

  // kInvalidArgument: one of them is longer, or an empty user or password.
  static absl::Status Check(const std::optional<ProxyUser>& user, const std::string& host);

  // After Check().
  Socks5(std::optional<ProxyUser> user, const std::string& host, int port);

  std::string TakeOutput() override;
  absl::StatusOr<std::optional<std::string>> Receive(std::string_view bytes) override;

 private:
  enum class Phase : uint8_t { kMethod, kUser, kReply, kDone };

  // Each takes one answer of the proxy off the front, if it is whole.
  absl::Status TakeMethod();
  absl::Status TakeUserAnswer();
  absl::Status TakeReply();
  // An error that stays as it is.
  absl::Status RefusedForGood(const absl::Status& why);

  const std::optional<ProxyUser> user_;
  std::string request_;
  Phase phase_ = Phase::kMethod;
  std::string output_;
  std::string input_;
};

}  // namespace cursorwire::proxy

#endif  // CURSORWIRE_SRC_PROXY_SOCKS5_H_
