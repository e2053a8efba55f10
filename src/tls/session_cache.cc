#include "tls/session_cache.h"

#include <openssl/err.h>

#include <algorithm>
#include <iterator>

namespace cursorwire::tls {
namespace {

// OpenSSL calls it when the context goes.
void DeleteCache(void*, void* cache, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<SessionCache*>(cache);
}

int CacheIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, DeleteCache);
  return index;
}

int HostIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// A copy is kept: OpenSSL spoils the session of a connection that was lost, as if its keys were
// known then. RFC 8446 asks for nothing of that kind.
int OnNewSession(SSL* ssl, SSL_SESSION* session) {
  SessionCache* const cache = SessionCache::Of(SSL_get_SSL_CTX(ssl));
  const auto* host = static_cast<const std::string*>(SSL_get_ex_data(ssl, HostIndex()));
  if (cache == nullptr || host == nullptr || SSL_SESSION_is_resumable(session) != 1) return 0;
  ERR_set_mark();
  OpenSslPtr<SSL_SESSION> copy(SSL_SESSION_dup(session));
  ERR_pop_to_mark();  // it runs within a read, whose errors tell how that went
  if (copy != nullptr) cache->Add(*host, std::move(copy));
  return 0;  // the session itself stays OpenSSL's
}

}  // namespace

void SessionCache::AddTo(SSL_CTX* context) {
  SSL_CTX_set_ex_data(context, CacheIndex(), new SessionCache);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, OnNewSession);
}

SessionCache* SessionCache::Of(const SSL_CTX* context) {
  return static_cast<SessionCache*>(SSL_CTX_get_ex_data(context, CacheIndex()));
}

void SessionCache::SetHost(SSL* ssl, std::string& host) {
  SSL_set_ex_data(ssl, HostIndex(), &host);
}

void SessionCache::Add(const std::string& host, OpenSslPtr<SSL_SESSION> session) {
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= kMaxSessions) sessions_.pop_front();
  sessions_.emplace_back(host, std::move(session));
}

OpenSslPtr<SSL_SESSION> SessionCache::Take(const std::string& host) {
  const std::lock_guard lock(mutex_);
  const auto newest = std::find_if(sessions_.rbegin(), sessions_.rend(),
                                   [&host](const auto& entry) { return entry.first == host; });
  if (newest == sessions_.rend()) return nullptr;
  OpenSslPtr<SSL_SESSION> session = std::move(newest->second);
  sessions_.erase(std::next(newest).base());
  return session;
}

}  // namespace cursorwire::tls
