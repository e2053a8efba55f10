#include "collab/oct/room_cipher.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "collab/oct/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::oct {
namespace {

constexpr size_t kIvBytes = 16;
constexpr size_t kBlockBytes = 16;
// What is read of the text of a private key.
constexpr size_t kMaxPemBytes = size_t{64} * 1024;

struct FreeOpenSsl {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
};
template <typename T>
using OpenSslHandle = std::unique_ptr<T, FreeOpenSsl>;

// What a call has left in OpenSSL's error queue must not be taken for the error of another.
class ErrorQueueCleaner {
 public:
  ErrorQueueCleaner() = default;
  ~ErrorQueueCleaner() { ERR_clear_error(); }
  ErrorQueueCleaner(const ErrorQueueCleaner&) = delete;
  ErrorQueueCleaner& operator=(const ErrorQueueCleaner&) = delete;
};

const uint8_t* BytesOf(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}
uint8_t* BytesOf(std::string& text) { return reinterpret_cast<uint8_t*>(text.data()); }

absl::Status CipherFailed(std::string_view what) {
  return LocalError(absl::StatusCode::kInternal, absl::StrCat("OpenSSL cannot ", ToAbsl(what)));
}

absl::Status NoRandomBytes() {
  return LocalError(absl::StatusCode::kInternal, "there are no random bytes for a key");
}

absl::Status CannotDecrypt() { return InvalidArgument("a message cannot be decrypted"); }

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(ToAbsl(text), &bytes)) return std::nullopt;
  return bytes;
}

std::string ToBase64(std::string_view bytes) { return absl::Base64Escape(ToAbsl(bytes)); }

bool IsUsableRsa(EVP_PKEY* key) {
  const int bits = EVP_PKEY_get_bits(key);
  return EVP_PKEY_is_a(key, "RSA") == 1 && bits >= RoomCipher::kMinRsaBits &&
         bits <= RoomCipher::kMaxRsaBits;
}

// SPKI in base64; "": OpenSSL has failed.
std::string PublicKeyText(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return "";
  std::string text = ToBase64({reinterpret_cast<const char*>(der), static_cast<size_t>(size)});
  OPENSSL_free(der);
  return text;
}

// nullptr: the text is no public key.
EVP_PKEY* ReadPublicKey(std::string_view text) {
  if (text.size() > RoomCipher::kMaxPublicKeyCharacters) return nullptr;
  const std::optional<std::string> der = FromBase64(text);
  if (!der) return nullptr;
  const uint8_t* at = BytesOf(*der);
  const uint8_t* const end = at + der->size();
  EVP_PKEY* const key = d2i_PUBKEY(nullptr, &at, static_cast<long>(der->size()));
  if (key == nullptr || at == end) return key;
  EVP_PKEY_free(key);
  return nullptr;
}

// RSA-OAEP with SHA-256 for both of its hashes, and no label.
enum class OaepStep { kEncrypt, kDecrypt };
OpenSslHandle<EVP_PKEY_CTX> OaepContext(EVP_PKEY* key, OaepStep step) {
  OpenSslHandle<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new(key, nullptr));
  if (context == nullptr) return nullptr;
  const bool is_ready = step == OaepStep::kEncrypt ? EVP_PKEY_encrypt_init(context.get()) == 1
                                                   : EVP_PKEY_decrypt_init(context.get()) == 1;
  if (!is_ready || EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_OAEP_PADDING) != 1 ||
      EVP_PKEY_CTX_set_rsa_oaep_md(context.get(), EVP_sha256()) != 1 ||
      EVP_PKEY_CTX_set_rsa_mgf1_md(context.get(), EVP_sha256()) != 1) {
    return nullptr;
  }
  return context;
}

// In base64; "": OpenSSL has failed.
std::string WrapKey(EVP_PKEY* key, std::span<const uint8_t> secret) {
  const OpenSslHandle<EVP_PKEY_CTX> context = OaepContext(key, OaepStep::kEncrypt);
  if (context == nullptr) return "";
  std::string wrapped(static_cast<size_t>(EVP_PKEY_get_size(key)), '\0');
  size_t size = wrapped.size();
  if (EVP_PKEY_encrypt(context.get(), BytesOf(wrapped), &size, secret.data(), secret.size()) != 1) {
    return "";
  }
  wrapped.resize(size);
  return ToBase64(wrapped);
}

// False: it is not for this key, or holds another number of bytes than `secret`.
bool UnwrapKey(EVP_PKEY* key, std::string_view wrapped, std::span<uint8_t> secret) {
  const OpenSslHandle<EVP_PKEY_CTX> context = OaepContext(key, OaepStep::kDecrypt);
  if (context == nullptr) return false;
  std::vector<uint8_t> plain(static_cast<size_t>(EVP_PKEY_get_size(key)));
  size_t size = plain.size();
  const bool is_unwrapped =
      EVP_PKEY_decrypt(context.get(), plain.data(), &size, BytesOf(wrapped), wrapped.size()) == 1 &&
      size == secret.size();
  if (is_unwrapped) std::copy_n(plain.begin(), size, secret.begin());
  OPENSSL_cleanse(plain.data(), plain.size());
  return is_unwrapped;
}

enum class AesStep : int { kDecrypt = 0, kEncrypt = 1 };

// AES-256-CBC with PKCS#7 padding. nullopt: the padding is wrong, or OpenSSL has failed.
std::optional<std::string> RunAes(AesStep step, std::string_view in, std::span<const uint8_t> key,
                                  std::string_view iv) {
  const OpenSslHandle<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  constexpr size_t kMostBytes = std::numeric_limits<int>::max() - kBlockBytes;
  if (context == nullptr || in.size() > kMostBytes ||
      EVP_CipherInit_ex(context.get(), EVP_aes_256_cbc(), nullptr, key.data(), BytesOf(iv),
                        static_cast<int>(step)) != 1) {
    return std::nullopt;
  }
  std::string out(in.size() + kBlockBytes, '\0');
  int size = 0;
  int last_size = 0;
  if (EVP_CipherUpdate(context.get(), BytesOf(out), &size, BytesOf(in),
                       static_cast<int>(in.size())) != 1 ||
      EVP_CipherFinal_ex(context.get(), BytesOf(out) + size, &last_size) != 1) {
    return std::nullopt;
  }
  out.resize(static_cast<size_t>(size) + static_cast<size_t>(last_size));
  return out;
}

// nullopt: it is not compressed in a known way, or would be too large.
std::optional<std::string> Inflated(std::string plain, std::string_view compression) {
  if (compression == kNoCompression) return plain;
  if (compression != kGzipCompression) return std::nullopt;
  const size_t most =
      std::min(RoomCipher::kMaxInflatedBytes, plain.size() * RoomCipher::kMaxInflation);
  absl::StatusOr<std::string> inflated = wire::Gunzip(plain, most);
  if (!inflated.ok()) return std::nullopt;
  return *std::move(inflated);
}

// nullptr: there is none for `id`, or more than one.
const KeyEntry* OnlyEntryFor(std::string_view id, std::span<const KeyEntry> keys) {
  const auto is_for_id = [id](const KeyEntry& entry) { return entry.target == id; };
  const auto found = std::find_if(keys.begin(), keys.end(), is_for_id);
  if (found == keys.end() || std::any_of(found + 1, keys.end(), is_for_id)) return nullptr;
  return &*found;
}

// With the exponent 65537, as is usual. OpenSSL asks between candidates whether it shall go on.
EVP_PKEY* GenerateRsa(int bits, const std::stop_token& stop) {
  const OpenSslHandle<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  if (context == nullptr || EVP_PKEY_keygen_init(context.get()) <= 0 ||
      EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), bits) <= 0) {
    return nullptr;
  }
  std::stop_token token = stop;
  EVP_PKEY_CTX_set_app_data(context.get(), &token);
  EVP_PKEY_CTX_set_cb(context.get(), [](EVP_PKEY_CTX* of) {
    return static_cast<std::stop_token*>(EVP_PKEY_CTX_get_app_data(of))->stop_requested() ? 0 : 1;
  });
  EVP_PKEY* key = nullptr;
  return EVP_PKEY_generate(context.get(), &key) > 0 ? key : nullptr;
}

}  // namespace

bool FillFromOpenSsl(std::span<uint8_t> bytes) {
  const ErrorQueueCleaner cleaner;
  return RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1;
}

void RoomCipher::FreeKey::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

RoomCipher::AesKey::~AesKey() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

absl::StatusOr<std::unique_ptr<RoomCipher>> RoomCipher::Create(int bits, SecretSource secrets,
                                                               const std::stop_token& stop) {
  const ErrorQueueCleaner cleaner;
  if (bits < kMinRsaBits || bits > kMaxRsaBits) {
    return InvalidArgument(
        absl::StrCat("RSA keys must have ", kMinRsaBits, " to ", kMaxRsaBits, " bits, not ", bits));
  }
  RsaKey key(GenerateRsa(bits, stop));
  if (stop.stop_requested()) return absl::CancelledError("the making of an RSA key was stopped");
  if (key == nullptr) return CipherFailed("make an RSA key");
  return FromKey(std::move(key), std::move(secrets));
}

absl::StatusOr<std::unique_ptr<RoomCipher>> RoomCipher::FromPem(std::string_view pem,
                                                                SecretSource secrets) {
  const ErrorQueueCleaner cleaner;
  pem = pem.substr(0, kMaxPemBytes);
  const OpenSslHandle<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // Without it, OpenSSL asks for a password on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  RsaKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (key == nullptr || !IsUsableRsa(key.get())) {
    return InvalidArgument("not the PEM text of a private RSA key that can be used");
  }
  return FromKey(std::move(key), std::move(secrets));
}

absl::StatusOr<std::unique_ptr<RoomCipher>> RoomCipher::FromKey(RsaKey key, SecretSource secrets) {
  std::string text = PublicKeyText(key.get());
  if (text.empty()) return CipherFailed("write the public key");
  // NOLINTNEXTLINE(modernize-make-unique): the constructor is private.
  std::unique_ptr<RoomCipher> cipher(
      new RoomCipher(std::move(key), std::move(text), std::move(secrets)));
  if (absl::Status status = cipher->Renew(); !status.ok()) return status;
  return cipher;
}

RoomCipher::RoomCipher(RsaKey key, std::string public_key, SecretSource secrets)
    : key_(std::move(key)), public_key_(std::move(public_key)), secrets_(std::move(secrets)) {}

RoomCipher::~RoomCipher() = default;

absl::Status RoomCipher::Renew() {
  own_aes_key_.reset();
  for (auto& [id, peer] : peers_) peer.wrapped_key.clear();
  auto key = std::make_unique<AesKey>();
  if (!secrets_(key->bytes)) return NoRandomBytes();
  own_aes_key_ = std::move(key);
  return absl::OkStatus();
}

absl::Status RoomCipher::AddPeer(std::string_view id, std::string_view public_key) {
  const ErrorQueueCleaner cleaner;
  if (const auto known = peers_.find(id); known != peers_.end()) {
    if (known->second.public_key == public_key) return absl::OkStatus();
    peers_.erase(known);
  }
  if (id.empty() || id.size() > kMaxPeerIdBytes) return InvalidArgument("bad id of a peer");
  RsaKey key(ReadPublicKey(public_key));
  if (key == nullptr || !IsUsableRsa(key.get())) {
    return InvalidArgument(absl::StrCat("the public key of a peer is not RSA with ", kMinRsaBits,
                                        " to ", kMaxRsaBits, " bits"));
  }
  if (peers_.size() >= kMaxPeers) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("more than ", kMaxPeers, " peers in the room"));
  }
  peers_.emplace(id, Peer{.key = std::move(key), .public_key = std::string(public_key)});
  return absl::OkStatus();
}

void RoomCipher::RemovePeer(std::string_view id) {
  if (const auto known = peers_.find(id); known != peers_.end()) peers_.erase(known);
}

absl::StatusOr<RoomCipher::Encrypted> RoomCipher::Encrypt(std::string_view content,
                                                          std::span<const std::string> receivers) {
  const ErrorQueueCleaner cleaner;
  std::string iv(kIvBytes, '\0');
  if (own_aes_key_ == nullptr || !secrets_({BytesOf(iv), iv.size()})) return NoRandomBytes();
  const std::string iv_text = ToBase64(iv);
  Encrypted encrypted;
  for (const std::string_view id : std::set<std::string_view>(receivers.begin(), receivers.end())) {
    const auto known = peers_.find(id);
    if (known == peers_.end() || !Wrap(known->second)) continue;
    encrypted.keys.push_back(
        {.target = std::string(id), .key = known->second.wrapped_key, .iv = iv_text});
  }
  if (encrypted.keys.empty()) return encrypted;
  std::optional<std::string> bytes = RunAes(AesStep::kEncrypt, content, own_aes_key_->bytes, iv);
  if (!bytes) return CipherFailed("encrypt a message");
  encrypted.content = *std::move(bytes);
  return encrypted;
}

bool RoomCipher::Wrap(Peer& peer) {
  if (peer.wrapped_key.empty()) peer.wrapped_key = WrapKey(peer.key.get(), own_aes_key_->bytes);
  return !peer.wrapped_key.empty();
}

absl::StatusOr<std::string> RoomCipher::Decrypt(std::string_view content,
                                                std::span<const KeyEntry> keys,
                                                std::string_view own_id,
                                                std::string_view compression) {
  const ErrorQueueCleaner cleaner;
  const KeyEntry* const entry = OnlyEntryFor(own_id, keys);
  if (entry == nullptr) return CannotDecrypt();
  const std::optional<std::string> iv = FromBase64(entry->iv);
  const AesKey* const key = Unwrap(entry->key);
  if (!iv || iv->size() != kIvBytes || key == nullptr) return CannotDecrypt();
  std::optional<std::string> plain = RunAes(AesStep::kDecrypt, content, key->bytes, *iv);
  if (!plain) return CannotDecrypt();
  std::optional<std::string> inflated = Inflated(*std::move(plain), compression);
  if (!inflated) return CannotDecrypt();
  return *std::move(inflated);
}

const RoomCipher::AesKey* RoomCipher::Unwrap(const std::string& wrapped_key) {
  if (const auto known = foreign_keys_.find(wrapped_key); known != foreign_keys_.end()) {
    return &known->second;
  }
  const auto key_bytes = static_cast<size_t>(EVP_PKEY_get_size(key_.get()));
  if (wrapped_key.size() > 2 * key_bytes) return nullptr;
  const std::optional<std::string> wrapped = FromBase64(wrapped_key);
  AesKey key;
  if (!wrapped || wrapped->size() != key_bytes || !UnwrapKey(key_.get(), *wrapped, key.bytes)) {
    return nullptr;
  }
  if (foreign_keys_by_age_.size() >= kMaxForeignKeys) {
    foreign_keys_.erase(foreign_keys_by_age_.front());
    foreign_keys_by_age_.pop_front();
  }
  foreign_keys_by_age_.push_back(wrapped_key);
  AesKey& kept = foreign_keys_[wrapped_key];
  kept.bytes = key.bytes;
  return &kept;
}

}  // namespace cursorwire::oct
