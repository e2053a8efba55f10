#ifndef CURSORWIRE_SRC_TLS_ENGINE_H_
#define CURSORWIRE_SRC_TLS_ENGINE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "tls/client_context.h"
#include "tls/openssl.h"
#include "tls/peer_text.h"
#include "tls/server_context.h"
#include "tls/session_cache.h"

namespace cursorwire::tls {

// TLS of one connection, client or server, without I/O: OpenSSL between two BIOs in memory.
//
// Order: send PendingOutput() first (a client's hello is ready at once); pass received bytes to
// Receive(); call Write() once handshake_done(). After an error only PendingOutput() may be used:
// it may hold an alert for the peer. Memory: the ciphertext of a record that is not complete, and
// one TLS record (16 KiB) of received bytes. Thread-compatible. Source: RFC 8446; RFC 9113, 3.2,
// requires ALPN.
class Engine {
 public:
  // Client. The certificate must be for `host`: a DNS name (also sent as SNI) or an address.
  static absl::StatusOr<std::unique_ptr<Engine>> Connect(const ClientContext& context,
                                                         const std::string& host);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  static absl::StatusOr<std::unique_ptr<Engine>> Accept(const ServerContext& context);

  // What takes the decrypted bytes, a TLS record at a time. They are valid until it returns. It
  // must not call Receive(), Write() or Close(), nor leave errors in OpenSSL's queue.
  using TakeRecord = absl::FunctionRef<void(std::string_view record)>;

  // Takes bytes from the peer. `take` is called for what they decrypt to.
  //   kUnavailable  the handshake failed (certificate, host name, version, no ALPN h2), or a
  //                 record is broken, or the peer sent an alert
  absl::Status Receive(std::string_view ciphertext, TakeRecord take);

  // Encrypts; call only when handshake_done().
  //   kUnavailable  OpenSSL failed
  absl::Status Write(std::string_view plaintext);

  // Ends our side with a close_notify alert.
  void Close();

  // Bytes for the peer. The view is valid until the next call of another function.
  std::string_view PendingOutput();
  void ConsumeOutput(size_t bytes);

  bool handshake_done() const { return handshake_done_; }
  // The handshake has resumed an earlier session.
  bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  // The peer ended its side with close_notify.
  bool peer_closed() const { return peer_closed_; }
  // See DescribePeer().
  std::string peer_text() const { return DescribePeer(ssl_.get()); }
  // Such as "TLSv1.3"; for messages and tests.
  std::string_view version() const { return SSL_get_version(ssl_.get()); }

 private:
  Engine(OpenSslPtr<SSL> ssl, std::string host, Protocol protocol);

  void ResumeSession(SessionCache* sessions);
  absl::Status Handshake();
  absl::Status CheckAlpn() const;
  absl::Status HandshakeError();
  absl::Status ReadAll(TakeRecord take);

  const Protocol protocol_;
  SessionUser user_;    // its host is empty on a server
  KeptSession unseen_;  // is offered by the first output, which was not taken yet
  OpenSslPtr<SSL> ssl_;
  std::string_view unread_;  // of the ciphertext that the running Receive() was given
  BIO* output_;              // owned by ssl_
  size_t output_consumed_ = 0;
  std::array<char, 16 * 1024> record_{};  // decrypted bytes of one TLS record
  bool handshake_done_ = false;
  bool peer_closed_ = false;
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_ENGINE_H_
