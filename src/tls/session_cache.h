#ifndef CURSORWIRE_SRC_TLS_SESSION_CACHE_H_
#define CURSORWIRE_SRC_TLS_SESSION_CACHE_H_

#include <absl/base/thread_annotations.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "tls/openssl.h"

namespace cursorwire::tls {

// The TLS sessions that servers have given to the connections of one client context. A later one to
// the same host resumes: it spares the certificate, which was verified then, and most of the time
// of a handshake. Belongs to its SSL_CTX, as long as that lives. Thread-safe. Source: RFC 8446, 2.2
// and 4.6.1.
class SessionCache {
 public:
  // Servers give two tickets, as a rule.
  static constexpr size_t kMaxSessions = 16;

  explicit SessionCache(const connect::TlsOptions& options);

  // Makes one for the context, which has none, and these options.
  static void AddTo(SSL_CTX* context, const connect::TlsOptions& options);
  // nullptr: the context has none.
  static SessionCache* Of(const SSL_CTX* context);
  // Sessions of `ssl` are for this host, which must outlive it. Nothing changes it: OpenSSL takes
  // no pointers to what is constant.
  static void SetHost(SSL* ssl, std::string& host);

  void Add(const std::string& host, OpenSslPtr<SSL_SESSION> session);
  // The newest for this host, nullptr if there is none. None is used twice, so that nobody can see
  // that two connections are of one client: RFC 8446, C.4.
  OpenSslPtr<SSL_SESSION> Take(const std::string& host);

 private:
  std::string StoreKey(const std::string& host) const;

  // In place of sessions_, if there is one. Its sessions may be of other options, some of which
  // decide which servers are trusted: they are part of the key.
  const std::shared_ptr<connect::TlsSessionStore> store_;
  const std::string key_of_options_;

  std::mutex mutex_;
  // The newest last.
  std::deque<std::pair<std::string, OpenSslPtr<SSL_SESSION>>> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_SESSION_CACHE_H_
