#ifndef CURSORWIRE_SRC_TLS_SESSION_CACHE_H_
#define CURSORWIRE_SRC_TLS_SESSION_CACHE_H_

#include <absl/base/thread_annotations.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "tls/openssl.h"

namespace cursorwire::tls {

// A TLS session, and until when it may be resumed. A connection that resumes one is given others,
// which end with it at the latest: some time the server has to show its certificate again.
struct KeptSession {
  OpenSslPtr<SSL_SESSION> session{};
  std::chrono::system_clock::time_point end{};
};

// For which host a connection is, and the session that it wants to resume, if any.
struct SessionUser {
  std::string host{};
  std::optional<std::chrono::system_clock::time_point> resumed_end{};
  size_t sessions = 0;  // that the server gave it
};

// The TLS sessions that servers have given to the connections of one client context. A later one to
// the same host resumes: it spares the certificate, which was verified then, and most of the time
// of a handshake. Belongs to its SSL_CTX, as long as that lives. Thread-safe. Source: RFC 8446, 2.2
// and 4.6.1.
class SessionCache {
 public:
  // Servers give two tickets, as a rule.
  static constexpr size_t kMaxSessions = 16;
  // What else a server gives to one connection is ignored.
  static constexpr size_t kMaxSessionsOfConnection = 4;
  // From a full handshake on, however often sessions of it were resumed.
  static constexpr std::chrono::hours kMaxTrust{24};

  // Makes one for the context, which has none.
  static void AddTo(SSL_CTX* context);
  // nullptr: the context has none.
  static SessionCache* Of(const SSL_CTX* context);
  // Sessions of `ssl` are for this one, which must outlive it.
  static void SetUser(SSL* ssl, SessionUser& user);

  void Add(const std::string& host, KeptSession kept);
  // The newest for this host; its session is nullptr if there is none. None is used twice, so that
  // nobody can see that two connections are of one client: RFC 8446, C.4.
  KeptSession Take(const std::string& host);

 private:
  std::mutex mutex_;
  // The newest last.
  std::deque<std::pair<std::string, KeptSession>> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_SESSION_CACHE_H_
