#include "tls/session_cache.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/strings.h"

namespace cursorwire::tls {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

// Of the digest that stands for the options: enough that no two have the same.
constexpr size_t kKeyBytes = 16;
// Of the end of a session in a store, seconds since 1970 in big-endian order, before its bytes.
constexpr size_t kEndBytes = 8;

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

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): OpenSSL reads it, too
  return value == nullptr ? "" : value;
}

// Different for options that trust other servers, or show them something else.
std::string DigestOf(const connect::TlsOptions& options) {
  std::string text;
  const bool system = options.ca_pem.empty();
  for (const std::string& part :
       {options.ca_pem, options.extra_ca_pem,
        system ? Variable(X509_get_default_cert_file_env()) : "",
        system ? Variable(X509_get_default_cert_dir_env()) : "", options.client_certificate_pem}) {
    absl::StrAppend(&text, part.size(), " ", part);
  }
  absl::StrAppend(&text, options.min_version == connect::TlsVersion::kTls13 ? "1.3" : "1.2");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), kKeyBytes);
  return absl::BytesToHexString(ToAbsl(bytes));
}

std::string EndText(system_clock::time_point end) {
  const auto count =
      static_cast<uint64_t>(std::chrono::duration_cast<seconds>(end.time_since_epoch()).count());
  std::string text;
  for (size_t i = kEndBytes; i-- > 0;) text += static_cast<char>(count >> (8 * i));
  return text;
}

// nullopt: it cannot be one of ours.
std::optional<system_clock::time_point> EndOfText(std::string_view text) {
  uint64_t count = 0;
  for (const char byte : text.substr(0, kEndBytes)) count = count << 8 | static_cast<uint8_t>(byte);
  const system_clock::time_point latest = system_clock::now() + SessionCache::kMaxTrust;
  const auto last = std::chrono::duration_cast<seconds>(latest.time_since_epoch()).count();
  if (text.size() < kEndBytes || count > static_cast<uint64_t>(last)) return std::nullopt;
  return system_clock::time_point(seconds(count));
}

// "": it has none.
std::string BytesOf(const SSL_SESSION& session) {
  const int size = i2d_SSL_SESSION(&session, nullptr);
  std::string bytes(size > 0 ? static_cast<size_t>(size) : 0, '\0');
  auto* out = reinterpret_cast<unsigned char*>(bytes.data());
  if (size > 0 && i2d_SSL_SESSION(&session, &out) != size) return "";
  return bytes;
}

OpenSslPtr<SSL_SESSION> SessionOf(std::string_view bytes) {
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  return OpenSslPtr<SSL_SESSION>(d2i_SSL_SESSION(nullptr, &in, static_cast<long>(bytes.size())));
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

void SessionCache::SetUser(SSL* ssl, SessionUser& user) {
  SSL_set_ex_data(ssl, UserIndex(), &user);
}

void SessionCache::Add(const std::string& host, KeptSession kept) {
  if (store_ != nullptr) return AddToStore(host, kept);
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= kMaxSessions) sessions_.pop_front();
  sessions_.emplace_back(host, std::move(kept));
}

KeptSession SessionCache::Take(const std::string& host) {
  if (store_ != nullptr) return TakeFromStore(host);
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

// Before TLS 1.3, a session holds the keys of the connection that it is of: they would open what
// others have recorded of it.
void SessionCache::AddToStore(const std::string& host, const KeptSession& kept) {
  if (SSL_SESSION_get_protocol_version(kept.session.get()) != TLS1_3_VERSION) return;
  const std::string bytes = BytesOf(*kept.session);
  if (!bytes.empty()) store_->Add(StoreKey(host), EndText(kept.end) + bytes, kept.end);
}

KeptSession SessionCache::TakeFromStore(const std::string& host) {
  const std::optional<std::string> bytes = store_->Take(StoreKey(host));
  if (!bytes) return {};
  const std::optional<system_clock::time_point> end = EndOfText(*bytes);
  if (!end || *end <= system_clock::now()) return {};
  return {.session = SessionOf(std::string_view(*bytes).substr(kEndBytes)), .end = *end};
}

std::string SessionCache::StoreKey(const std::string& host) const {
  return absl::StrCat(key_of_options_, " ", host);
}

}  // namespace cursorwire::tls
