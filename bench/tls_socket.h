#ifndef CURSORWIRE_BENCH_TLS_SOCKET_H_
#define CURSORWIRE_BENCH_TLS_SOCKET_H_

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "net/socket.h"
#include "tls/openssl.h"

namespace cursorwire::bench {

// A blocking socket with TLS that does only what is necessary: one large read, and OpenSSL between
// two memory BIOs. Thread-compatible.
class TlsSocket {
 public:
  // Connects to "localhost" on 127.0.0.1, with ALPN h2.
  //   kUnavailable  no connection, or the handshake failed
  static absl::StatusOr<std::unique_ptr<TlsSocket>> Connect(int port, const std::string& ca_pem);

  //   kUnavailable  the connection is lost
  absl::Status Write(std::string_view bytes);
  // Waits for bytes, and passes them on record by record.
  //   kUnavailable  the connection is lost
  absl::Status Read(const std::function<void(std::string_view)>& on_record);

 private:
  TlsSocket(FileDescriptor fd, tls::OpenSslPtr<SSL_CTX> context, tls::OpenSslPtr<SSL> ssl);

  absl::Status Handshake();
  absl::Status Flush();
  absl::Status Fill();

  FileDescriptor fd_;
  tls::OpenSslPtr<SSL_CTX> context_;
  tls::OpenSslPtr<SSL> ssl_;
  BIO* input_;   // owned by ssl_
  BIO* output_;  // owned by ssl_
  std::vector<char> ciphertext_;
  std::vector<char> record_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_TLS_SOCKET_H_
