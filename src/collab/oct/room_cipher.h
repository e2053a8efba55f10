#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_CIPHER_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_CIPHER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "collab/oct/key_entry.h"

struct evp_pkey_st;

namespace cursorwire::oct {

// Fills all of it with bytes that nobody can guess; false if there are none.
using SecretSource = std::function<bool(std::span<uint8_t>)>;
// OpenSSL's generator.
bool FillFromOpenSsl(std::span<uint8_t> bytes);

// Encrypts the contents of messages for the peers of a room, and decrypts theirs:
// docs/collab/oct.md, "Crypto". There is no integrity protection: what comes out of Decrypt() may
// have been changed by the server or by anybody in the room.
//
// Order: any, after Create() or FromPem(). RSA operations take milliseconds each; they are done
// once for each peer and own AES key, and once for each AES key of a peer.
// Memory: at most kMaxPeers keys and kMaxForeignKeys AES keys of peers. AES keys are overwritten
// when they are freed, and OpenSSL does the same with the RSA key.
// Thread-compatible. OpenSSL's error queue of the thread is empty after each call.
class RoomCipher {
 public:
  // What `bits` of Create() is for programs. Tests may take kMinRsaBits.
  static constexpr int kOwnRsaBits = 4096;
  // Of RSA keys: weaker ones are refused, and larger ones, which cost too much time.
  static constexpr int kMinRsaBits = 2048;
  static constexpr int kMaxRsaBits = 8192;
  // Of a public key in base64; one of kMaxRsaBits has 1400.
  static constexpr size_t kMaxPublicKeyCharacters = 2048;
  static constexpr size_t kMaxPeerIdBytes = 256;
  static constexpr size_t kMaxPeers = 1024;
  // AES keys of peers that are remembered. Over it the oldest is forgotten, and unwrapped again.
  static constexpr size_t kMaxForeignKeys = 256;
  // Content that is compressed may grow to this, and by this factor.
  static constexpr size_t kMaxInflatedBytes = size_t{64} * 1024 * 1024;
  static constexpr size_t kMaxInflation = 1000;

  // With a new RSA key. Blocks: a key of 4096 bits takes up to some seconds.
  //   kInvalidArgument  bits that are not allowed
  //   kInternal         OpenSSL, or `secrets`, has failed
  //   kCancelled        `stop` was requested, on any thread
  static absl::StatusOr<std::unique_ptr<RoomCipher>> Create(int bits,
                                                            SecretSource secrets = FillFromOpenSsl,
                                                            const std::stop_token& stop = {});
  // With the private RSA key of a PEM text (PKCS#8 or PKCS#1, not encrypted).
  //   kInvalidArgument, kInternal  as of Create(); the text is no such key
  static absl::StatusOr<std::unique_ptr<RoomCipher>> FromPem(
      std::string_view pem, SecretSource secrets = FillFromOpenSsl);
  ~RoomCipher();
  RoomCipher(const RoomCipher&) = delete;
  RoomCipher& operator=(const RoomCipher&) = delete;

  // For the header x-oct-public-key: SPKI in base64, one line.
  const std::string& public_key() const { return public_key_; }

  // A new AES key from now on: after a peer has left, since it knows the one of before.
  //   kInternal  there is no new one, and Encrypt() fails until there is
  absl::Status Renew();

  // From now on `id` can be a receiver. A peer that is there already gets this key instead.
  //   kInvalidArgument    no RSA key in SPKI and base64, one of fewer than kMinRsaBits or more than
  //                       kMaxRsaBits, or a bad id. A former key of this peer is dropped.
  //   kResourceExhausted  there are kMaxPeers
  absl::Status AddPeer(std::string_view id, std::string_view public_key);
  void RemovePeer(std::string_view id);
  bool HasPeer(std::string_view id) const { return peers_.contains(id); }

  struct Encrypted {
    std::string content{};
    std::vector<KeyEntry> keys{};
  };
  // Receivers that were not added get no key, and one that comes twice gets one. Without any key
  // the content is empty too: there is nobody to send it to.
  //   kInternal  OpenSSL, or the source of secrets, has failed
  absl::StatusOr<Encrypted> Encrypt(std::string_view content,
                                    std::span<const std::string> receivers);

  // `keys` must hold exactly one entry for `own_id`; those for others do not count. `compression`
  // is kNoCompression or kGzipCompression.
  //   kInvalidArgument  always with the same text, whatever the cause: who sent the message must
  //                     not learn from us how far it came
  absl::StatusOr<std::string> Decrypt(std::string_view content, std::span<const KeyEntry> keys,
                                      std::string_view own_id, std::string_view compression);

 private:
  struct FreeKey {
    void operator()(evp_pkey_st* key) const;
  };
  using RsaKey = std::unique_ptr<evp_pkey_st, FreeKey>;

  // Overwritten at its end.
  struct AesKey {
    AesKey() = default;
    ~AesKey();
    AesKey(const AesKey&) = delete;
    AesKey& operator=(const AesKey&) = delete;

    std::array<uint8_t, 32> bytes{};
  };

  struct Peer {
    RsaKey key{};
    std::string public_key{};   // as it was given
    std::string wrapped_key{};  // the own AES key for it, in base64; "" until it is needed
  };

  RoomCipher(RsaKey key, std::string public_key, SecretSource secrets);

  static absl::StatusOr<std::unique_ptr<RoomCipher>> FromKey(RsaKey key, SecretSource secrets);

  // False: OpenSSL cannot encrypt for this key, though it could read it.
  bool Wrap(Peer& peer);
  // nullptr: it is not for us, or broken.
  const AesKey* Unwrap(const std::string& wrapped_key);

  const RsaKey key_;
  const std::string public_key_;
  const SecretSource secrets_;
  std::unique_ptr<AesKey> own_aes_key_;
  std::map<std::string, Peer, std::less<>> peers_;
  std::map<std::string, AesKey, std::less<>> foreign_keys_;  // by their wrapped form
  std::deque<std::string> foreign_keys_by_age_;              // oldest first
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_CIPHER_H_
