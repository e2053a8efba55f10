#include "tls/session_cache.h"

#include <openssl/err.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace cursorwire::tls {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

// OpenSSL calls it when the context goes.
void DeleteCache(void*, void* cache, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<SessionCache*>(cache);
}

int CacheIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, DeleteCache);
  return index;
}

int UserIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// Until the certificate of its server is over; `now` if that is not known.
system_clock::time_point EndOfCertificate(SSL_SESSION* session, system_clock::time_point now) {
  X509* const certificate = SSL_SESSION_get0_peer(session);
  int days = 0;
  int rest = 0;
  const bool known = certificate != nullptr &&
                     ASN1_TIME_diff(&days, &rest, nullptr, X509_get0_notAfter(certificate)) == 1;
  if (!known) return now;
  return now + seconds(int64_t{24} * 60 * 60 * days + rest);
}

system_clock::time_point EndOf(SSL_SESSION* session, const SessionUser& user, bool resumed) {
  const system_clock::time_point now = system_clock::now();
  const system_clock::time_point trusted =
      resumed ? user.resumed_end.value_or(now)
              : std::min(now + SessionCache::kMaxTrust, EndOfCertificate(session, now));
  return std::min(trusted, system_clock::from_time_t(SSL_SESSION_get_time(session)) +
                               seconds(SSL_SESSION_get_timeout(session)));
}

// A copy is kept: OpenSSL spoils the session of a connection that was lost, as if its keys were
// known then. RFC 8446 asks for nothing of that kind.
int OnNewSession(SSL* ssl, SSL_SESSION* session) {
  SessionCache* const cache = SessionCache::Of(SSL_get_SSL_CTX(ssl));
  auto* user = static_cast<SessionUser*>(SSL_get_ex_data(ssl, UserIndex()));
  if (cache == nullptr || user == nullptr || SSL_SESSION_is_resumable(session) != 1) return 0;
  if (user->sessions++ >= SessionCache::kMaxSessionsOfConnection) return 0;
  ERR_set_mark();
  KeptSession kept{.session = OpenSslPtr<SSL_SESSION>(SSL_SESSION_dup(session)),
                   .end = EndOf(session, *user, SSL_session_reused(ssl) == 1)};
  if (kept.session != nullptr) cache->Add(user->host, std::move(kept));
  ERR_pop_to_mark();  // it runs within a read, whose errors tell how that went
  return 0;           // the session itself stays OpenSSL's
}

}  // namespace

void SessionCache::AddTo(SSL_CTX* context) {
  SSL_CTX_set_ex_data(context, CacheIndex(), new SessionCache());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, OnNewSession);
}

SessionCache* SessionCache::Of(const SSL_CTX* context) {
  return static_cast<SessionCache*>(SSL_CTX_get_ex_data(context, CacheIndex()));
}

void SessionCache::SetUser(SSL* ssl, SessionUser& user) {
  SSL_set_ex_data(ssl, UserIndex(), &user);
}

void SessionCache::Add(const std::string& host, KeptSession kept) {
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= kMaxSessions) sessions_.pop_front();
  sessions_.emplace_back(host, std::move(kept));
}

KeptSession SessionCache::Take(const std::string& host) {
  const system_clock::time_point now = system_clock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [now](const auto& entry) { return entry.second.end <= now; });
  const auto newest = std::find_if(sessions_.rbegin(), sessions_.rend(),
                                   [&host](const auto& entry) { return entry.first == host; });
  if (newest == sessions_.rend()) return {};
  KeptSession kept = std::move(newest->second);
  sessions_.erase(std::next(newest).base());
  return kept;
}

}  // namespace cursorwire::tls
