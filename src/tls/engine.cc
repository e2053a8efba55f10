#include "tls/engine.h"

#include <absl/strings/str_cat.h>
#include <openssl/err.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "tls/session_cache.h"
#include "tls/view_bio.h"

namespace cursorwire::tls {
namespace {

absl::Status TlsError(std::string_view message) {
  return TransportError(absl::StrCat("TLS: ", ToAbsl(message)), Replay::kUnsafe);
}

// Who is between here and the server, as a rule, where its certificate is not trusted.
std::string_view LikelyCause(long verify) {
  switch (verify) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "; if a proxy looks into TLS on the way, its certificate must be trusted";
    case X509_V_ERR_HOSTNAME_MISMATCH:
      return "; does this network want a login in a browser first?";
    default:
      return "";
  }
}

}  // namespace

Engine::Engine(OpenSslPtr<SSL> ssl, std::string host, Protocol protocol)
    : protocol_(protocol),
      user_{.host = std::move(host)},
      ssl_(std::move(ssl)),
      output_(BIO_new(BIO_s_mem())) {
  SSL_set_bio(ssl_.get(), ViewBio(unread_).release(), output_);
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Connect(const ClientContext& context,
                                                        const std::string& host) {
  std::unique_ptr<Engine> engine(
      new Engine(OpenSslPtr<SSL>(SSL_new(context.get())), host, context.protocol()));
  if (absl::Status status = SetExpectedHost(engine->ssl_.get(), host); !status.ok()) return status;
  engine->ResumeSession(SessionCache::Of(context.get()));
  SSL_set_connect_state(engine->ssl_.get());
  if (absl::Status status = engine->Handshake(); !status.ok()) return status;
  return engine;
}

// A session that nobody has seen may be offered by another connection.
Engine::~Engine() {
  if (unseen_.session == nullptr) return;
  SessionCache::Of(SSL_get_SSL_CTX(ssl_.get()))->Add(user_.host, std::move(unseen_));
}

void Engine::ResumeSession(SessionCache* sessions) {
  if (sessions == nullptr) return;
  SessionCache::SetUser(ssl_.get(), user_);
  unseen_ = sessions->Take(user_.host);
  // One that does not fit is not used; the handshake is a full one then.
  if (unseen_.session != nullptr) {
    user_.resumed_end = unseen_.end;
    SSL_set_session(ssl_.get(), unseen_.session.get());
  }
  ERR_clear_error();
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Accept(const ServerContext& context) {
  std::unique_ptr<Engine> engine(
      new Engine(OpenSslPtr<SSL>(SSL_new(context.get())), "", Protocol::kHttp2));
  SSL_set_accept_state(engine->ssl_.get());
  return engine;
}

absl::Status Engine::Receive(std::string_view ciphertext, TakeRecord take) {
  unread_ = ciphertext;
  absl::Status status;
  if (!handshake_done_) status = Handshake();
  if (handshake_done_ && status.ok()) status = ReadAll(take);
  // OpenSSL takes all that is there, but for what is after the end of the connection.
  unread_ = {};
  return status;
}

absl::Status Engine::Handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    absl::Status status = CheckAlpn();
    handshake_done_ = status.ok();
    return status;
  }
  if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return absl::OkStatus();
  return HandshakeError();
}

absl::Status Engine::CheckAlpn() const {
  if (protocol_ != Protocol::kHttp2) return absl::OkStatus();
  const unsigned char* protocol = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
  if (std::string_view(reinterpret_cast<const char*>(protocol), size) == "h2") {
    return absl::OkStatus();
  }
  if (user_.host.empty()) return TlsError("the client does not offer HTTP/2 (ALPN h2)");
  return TlsError(absl::StrCat(user_.host, " does not speak HTTP/2 (it did not choose ALPN h2)"));
}

absl::Status Engine::HandshakeError() {
  const long verify = SSL_get_verify_result(ssl_.get());
  const bool alpn_refused =
      ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL;
  const std::string reasons = TakeOpenSslErrors();
  if (user_.host.empty()) return TlsError(absl::StrCat("handshake failed: ", reasons));
  if (alpn_refused) {
    return TlsError(absl::StrCat(user_.host, " does not speak HTTP/2 (it refused ALPN h2)"));
  }
  if (verify != X509_V_OK) {
    return TlsError(absl::StrCat("the certificate of ", user_.host,
                                 " is not trusted: ", X509_verify_cert_error_string(verify),
                                 ToAbsl(LikelyCause(verify))));
  }
  return TlsError(absl::StrCat("handshake with ", user_.host, " failed: ", reasons));
}

absl::Status Engine::ReadAll(TakeRecord take) {
  ERR_clear_error();  // once: what was read leaves no errors, and this costs as much as a record
  for (;;) {
    size_t count = 0;
    const int result = SSL_read_ex(ssl_.get(), record_.data(), record_.size(), &count);
    if (result == 1) {
      take(std::string_view(record_.data(), count));
      continue;
    }
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return absl::OkStatus();
      case SSL_ERROR_ZERO_RETURN:
        peer_closed_ = true;
        return absl::OkStatus();
      default:
        return TlsError(absl::StrCat("broken record or alert: ", TakeOpenSslErrors()));
    }
  }
}

absl::Status Engine::Write(std::string_view plaintext) {
  while (!plaintext.empty()) {
    ERR_clear_error();
    size_t count = 0;
    if (SSL_write_ex(ssl_.get(), plaintext.data(), plaintext.size(), &count) != 1) {
      return TlsError(absl::StrCat("cannot encrypt: ", TakeOpenSslErrors()));
    }
    plaintext.remove_prefix(count);
  }
  return absl::OkStatus();
}

void Engine::Close() {
  if (!handshake_done_) return;
  ERR_clear_error();
  if (SSL_shutdown(ssl_.get()) < 0) ERR_clear_error();
}

std::string_view Engine::PendingOutput() {
  char* data = nullptr;
  const long size = BIO_get_mem_data(output_, &data);
  return std::string_view(data, static_cast<size_t>(size)).substr(output_consumed_);
}

void Engine::ConsumeOutput(size_t bytes) {
  if (bytes > 0) unseen_.session.reset();
  output_consumed_ += std::min(bytes, PendingOutput().size());
  if (!PendingOutput().empty()) return;
  BIO_reset(output_);
  output_consumed_ = 0;
}

}  // namespace cursorwire::tls
