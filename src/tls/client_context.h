#ifndef CURSORWIRE_SRC_TLS_CLIENT_CONTEXT_H_
#define CURSORWIRE_SRC_TLS_CLIENT_CONTEXT_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "tls/openssl.h"

namespace cursorwire::tls {

// What a client speaks through TLS, and offers by ALPN.
enum class Protocol : uint8_t {
  kHttp2,  // the server must choose it
  kHttp1,  // the server may choose none
};

// The wire form of ALPN for HTTP/1.1, with the length in front: RFC 7301, 6.
inline constexpr unsigned char kAlpnHttp1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// The implementation of connect::TlsContext: trust and protocol settings of the client side.
class ClientContext final : public connect::TlsContext {
 public:
  ClientContext(OpenSslPtr<SSL_CTX> context, Protocol protocol)
      : context_(std::move(context)), protocol_(protocol) {}

  // As TlsContext::Create().
  static absl::StatusOr<std::shared_ptr<const ClientContext>> Create(
      const connect::TlsOptions& options, Protocol protocol);

  // Safe: TlsContext has no other subclass.
  static const ClientContext& From(const connect::TlsContext& context) {
    return static_cast<const ClientContext&>(context);
  }

  SSL_CTX* get() const { return context_.get(); }
  Protocol protocol() const { return protocol_; }

 private:
  OpenSslPtr<SSL_CTX> context_;
  Protocol protocol_;
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_CLIENT_CONTEXT_H_
