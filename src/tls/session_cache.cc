#include "tls/session_cache.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>

#include "base/strings.h"

namespace cursorwire::tls {
namespace {

using std::chrono::system_clock;

// Of the digest that stands for the options: enough that no two have the same.
constexpr size_t kKeyBytes = 16;

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
  if (copy != nullptr) cache->Add(*host, std::move(copy));
  ERR_pop_to_mark();  // it runs within a read, whose errors tell how that went
  return 0;           // the session itself stays OpenSSL's
}

// Different for options that trust other servers, or show them something else.
std::string DigestOf(const connect::TlsOptions& options) {
  std::string text;
  for (const std::string& part :
       {options.ca_pem, options.extra_ca_pem, options.client_certificate_pem}) {
    absl::StrAppend(&text, part.size(), " ", part);
  }
  absl::StrAppend(&text, options.min_version == connect::TlsVersion::kTls13 ? "1.3" : "1.2");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), kKeyBytes);
  return absl::BytesToHexString(ToAbsl(bytes));
}

// "": it has none.
std::string BytesOf(const SSL_SESSION& session) {
  const int size = i2d_SSL_SESSION(&session, nullptr);
  std::string bytes(size > 0 ? static_cast<size_t>(size) : 0, '\0');
  auto* out = reinterpret_cast<unsigned char*>(bytes.data());
  if (size > 0 && i2d_SSL_SESSION(&session, &out) != size) return "";
  return bytes;
}

OpenSslPtr<SSL_SESSION> SessionOf(const std::string& bytes) {
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  return OpenSslPtr<SSL_SESSION>(d2i_SSL_SESSION(nullptr, &in, static_cast<long>(bytes.size())));
}

system_clock::time_point EndOf(const SSL_SESSION& session) {
  return system_clock::from_time_t(SSL_SESSION_get_time(&session)) +
         std::chrono::seconds(SSL_SESSION_get_timeout(&session));
}

}  // namespace

SessionCache::SessionCache(const connect::TlsOptions& options)
    : store_(options.session_store), key_of_options_(store_ == nullptr ? "" : DigestOf(options)) {}

void SessionCache::AddTo(SSL_CTX* context, const connect::TlsOptions& options) {
  SSL_CTX_set_ex_data(context, CacheIndex(), new SessionCache(options));
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
  if (store_ != nullptr) {
    const std::string bytes = BytesOf(*session);
    if (!bytes.empty()) store_->Add(StoreKey(host), bytes, EndOf(*session));
    return;
  }
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= kMaxSessions) sessions_.pop_front();
  sessions_.emplace_back(host, std::move(session));
}

OpenSslPtr<SSL_SESSION> SessionCache::Take(const std::string& host) {
  if (store_ != nullptr) {
    const std::optional<std::string> bytes = store_->Take(StoreKey(host));
    return bytes ? SessionOf(*bytes) : nullptr;
  }
  const std::lock_guard lock(mutex_);
  const auto newest = std::find_if(sessions_.rbegin(), sessions_.rend(),
                                   [&host](const auto& entry) { return entry.first == host; });
  if (newest == sessions_.rend()) return nullptr;
  OpenSslPtr<SSL_SESSION> session = std::move(newest->second);
  sessions_.erase(std::next(newest).base());
  return session;
}

std::string SessionCache::StoreKey(const std::string& host) const {
  return absl::StrCat(key_of_options_, " ", host);
}

}  // namespace cursorwire::tls
