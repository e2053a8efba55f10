#ifndef CURSORWIRE_SRC_TLS_CLIENT_CONTEXT_H_
#define CURSORWIRE_SRC_TLS_CLIENT_CONTEXT_H_

#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "tls/openssl.h"

namespace cursorwire::tls {

// The implementation of connect::TlsContext: trust and protocol settings of the client side.
class ClientContext final : public connect::TlsContext {
 public:
  explicit ClientContext(OpenSslPtr<SSL_CTX> context) : context_(std::move(context)) {}

  // Safe: TlsContext has no other subclass.
  static const ClientContext& From(const connect::TlsContext& context) {
    return static_cast<const ClientContext&>(context);
  }

  SSL_CTX* get() const { return context_.get(); }

 private:
  OpenSslPtr<SSL_CTX> context_;
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_CLIENT_CONTEXT_H_
