#include "collab/oct/room_cipher.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/oct/envelope.h"
#include "collab/oct/msgpack.h"
#include "collab/oct/oct_goldens.h"
#include "support/status_matchers.h"
#include "wire/gzip.h"

namespace cursorwire::oct {
namespace {

using absl::StatusCode;
using nlohmann::json;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kAnyContent = "what one peer says to others";

// Gives the bytes of a list of texts, one for each call, and fails after the last one.
SecretSource SecretsOf(std::vector<std::string> secrets) {
  auto next = std::make_shared<size_t>(0);
  return [secrets = std::move(secrets), next](std::span<uint8_t> bytes) {
    if (*next == secrets.size()) return false;
    const std::string& secret = secrets[(*next)++];
    EXPECT_EQ(secret.size(), bytes.size());
    std::copy(secret.begin(), secret.end(), bytes.begin());
    return true;
  };
}

// With one RSA key for all tests of a process: to make one takes long.
std::unique_ptr<RoomCipher> GuestCipher(SecretSource secrets = FillFromOpenSsl) {
  static const std::string& pem = *new std::string(test::ReadOctGoldens().private_key_pem);
  auto cipher = RoomCipher::FromPem(pem, std::move(secrets));
  EXPECT_THAT(cipher, IsOk());
  return cipher.ok() ? *std::move(cipher) : nullptr;
}

std::unique_ptr<RoomCipher> NewCipher() {
  auto cipher = RoomCipher::Create(RoomCipher::kMinRsaBits);
  EXPECT_THAT(cipher, IsOk());
  return cipher.ok() ? *std::move(cipher) : nullptr;
}

std::string SpkiOf(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  std::string text =
      absl::Base64Escape({reinterpret_cast<const char*>(der), static_cast<size_t>(size)});
  OPENSSL_free(der);
  EVP_PKEY_free(key);
  return text;
}

// A cipher that has encrypted kAnyContent for "b", which is itself.
struct LoopedMessage {
  std::unique_ptr<RoomCipher> cipher = GuestCipher();
  RoomCipher::Encrypted sent{};

  LoopedMessage() {
    EXPECT_THAT(cipher->AddPeer("b", cipher->public_key()), IsOk());
    Encrypt(kAnyContent);
  }
  void Encrypt(std::string_view content) {
    auto encrypted = cipher->Encrypt(content, std::vector<std::string>{"b"});
    ASSERT_THAT(encrypted, IsOk());
    sent = *std::move(encrypted);
  }
  absl::StatusOr<std::string> Decrypt(std::string_view compression = kNoCompression) {
    return cipher->Decrypt(sent.content, sent.keys, "b", compression);
  }
};

TEST(RoomCipher, DecryptsWhatTheRecordedHostHasSent) {
  const test::OctGoldens goldens = test::ReadOctGoldens();
  const auto cipher = GuestCipher();
  EXPECT_EQ(cipher->public_key(), goldens.public_key);
  for (const test::OctGoldenFrame& frame : goldens.Encrypted()) {
    if (!frame.is_from_server) continue;
    const absl::StatusOr<Envelope> envelope = ReadEnvelope(frame.bytes);
    ASSERT_THAT(envelope, IsOk());
    const std::string& bytes = std::get<EncryptedContent>(envelope->content).bytes;
    EXPECT_THAT(cipher->Decrypt(bytes, envelope->keys, goldens.guest, kNoCompression),
                IsOkAndHolds(frame.plain));
    const absl::StatusOr<std::string> content =
        cipher->Decrypt(bytes, envelope->keys, goldens.guest, envelope->compression);
    ASSERT_THAT(content, IsOk());
    const absl::StatusOr<json> value = ReadMsgpack(*content);
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(test::JsonOf(*value), frame.json);
  }
}

TEST(RoomCipher, EncryptsAsTheRecordedGuestDid) {
  const test::OctGoldens goldens = test::ReadOctGoldens();
  const auto host = NewCipher();
  for (const test::OctGoldenFrame& frame : goldens.Encrypted()) {
    if (frame.is_from_server) continue;
    const absl::StatusOr<Envelope> envelope = ReadEnvelope(frame.bytes);
    ASSERT_THAT(envelope, IsOk());
    std::string iv;
    ASSERT_TRUE(absl::Base64Unescape(envelope->keys.at(0).iv, &iv));
    const auto cipher = GuestCipher(SecretsOf({goldens.aes_key, iv}));
    ASSERT_THAT(cipher->AddPeer(goldens.host, host->public_key()), IsOk());
    const auto sent = cipher->Encrypt(frame.plain, std::vector<std::string>{goldens.host});
    ASSERT_THAT(sent, IsOk());
    EXPECT_EQ(sent->content, std::get<EncryptedContent>(envelope->content).bytes);
    ASSERT_THAT(sent->keys, SizeIs(1));
    EXPECT_EQ(sent->keys[0].iv, envelope->keys[0].iv);
    EXPECT_THAT(host->Decrypt(sent->content, sent->keys, goldens.host, kNoCompression),
                IsOkAndHolds(frame.plain));
  }
}

TEST(RoomCipher, EncryptsForEachReceiverThatIsKnown) {
  const auto sender = NewCipher();
  const auto first = NewCipher();
  const auto second = GuestCipher();
  ASSERT_THAT(sender->AddPeer("first", first->public_key()), IsOk());
  ASSERT_THAT(sender->AddPeer("second", second->public_key()), IsOk());
  const auto sent =
      sender->Encrypt(kAnyContent, std::vector<std::string>{"first", "unknown", "second", "first"});
  ASSERT_THAT(sent, IsOk());
  ASSERT_THAT(sent->keys, SizeIs(2));
  EXPECT_NE(sent->keys[0].key, sent->keys[1].key);
  EXPECT_EQ(sent->keys[0].iv, sent->keys[1].iv);
  for (const auto& [cipher, id] : {std::pair{first.get(), "first"}, {second.get(), "second"}}) {
    EXPECT_THAT(cipher->Decrypt(sent->content, sent->keys, id, kNoCompression),
                IsOkAndHolds(std::string(kAnyContent)));
  }
}

TEST(RoomCipher, EncryptsNothingWhenTheKeyListShrinksToNone) {
  LoopedMessage message;
  message.cipher->RemovePeer("b");
  EXPECT_FALSE(message.cipher->HasPeer("b"));
  for (const std::vector<std::string>& receivers : {std::vector<std::string>{"b"}, {}}) {
    const auto sent = message.cipher->Encrypt(kAnyContent, receivers);
    ASSERT_THAT(sent, IsOk());
    EXPECT_THAT(sent->keys, IsEmpty());
    EXPECT_THAT(sent->content, IsEmpty());
  }
}

TEST(RoomCipher, WrapsItsKeyOnceForAPeerAndUsesAnIvOnce) {
  LoopedMessage message;
  const RoomCipher::Encrypted before = message.sent;
  message.Encrypt(kAnyContent);
  // OAEP is random: an equal text was not encrypted again.
  EXPECT_EQ(message.sent.keys[0].key, before.keys[0].key);
  EXPECT_NE(message.sent.keys[0].iv, before.keys[0].iv);
  EXPECT_NE(message.sent.content, before.content);
  ASSERT_THAT(message.cipher->AddPeer("b", message.cipher->public_key()), IsOk());
  message.Encrypt(kAnyContent);
  EXPECT_EQ(message.sent.keys[0].key, before.keys[0].key);
}

TEST(RoomCipher, HasANewKeyAfterRenew) {
  LoopedMessage message;
  const RoomCipher::Encrypted before = message.sent;
  ASSERT_THAT(message.cipher->Renew(), IsOk());
  message.Encrypt(kAnyContent);
  EXPECT_NE(message.sent.keys[0].key, before.keys[0].key);
  EXPECT_THAT(message.Decrypt(), IsOkAndHolds(std::string(kAnyContent)));
  // The former key does not open the new content.
  std::vector<KeyEntry> mixed = message.sent.keys;
  mixed[0].key = before.keys[0].key;
  const auto opened = message.cipher->Decrypt(message.sent.content, mixed, "b", kNoCompression);
  EXPECT_TRUE(!opened.ok() || *opened != kAnyContent);
}

TEST(RoomCipher, EncryptsNothingWithoutRandomBytes) {
  const std::string key(32, 'k');
  const std::string iv(16, 'i');
  EXPECT_THAT(RoomCipher::FromPem(test::ReadOctGoldens().private_key_pem, SecretsOf({})),
              StatusIs(StatusCode::kInternal));
  const auto cipher = GuestCipher(SecretsOf({key, iv}));
  ASSERT_THAT(cipher->AddPeer("b", cipher->public_key()), IsOk());
  const std::vector<std::string> receivers = {"b"};
  EXPECT_THAT(cipher->Encrypt(kAnyContent, receivers), IsOk());
  EXPECT_THAT(cipher->Encrypt(kAnyContent, receivers), StatusIs(StatusCode::kInternal));
  EXPECT_THAT(cipher->Renew(), StatusIs(StatusCode::kInternal));
  EXPECT_THAT(cipher->Encrypt(kAnyContent, receivers), StatusIs(StatusCode::kInternal));
}

TEST(RoomCipher, ReplacesTheKeyOfAPeer) {
  LoopedMessage message;
  const auto other = NewCipher();
  ASSERT_THAT(message.cipher->AddPeer("b", other->public_key()), IsOk());
  message.Encrypt(kAnyContent);
  EXPECT_THAT(other->Decrypt(message.sent.content, message.sent.keys, "b", kNoCompression),
              IsOkAndHolds(std::string(kAnyContent)));
  EXPECT_THAT(message.cipher->AddPeer("b", "no key"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_FALSE(message.cipher->HasPeer("b"));
}

// A key that is shorter than 2048 bits, or does not parse.
TEST(RoomCipher, StopsMakingItsKey) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(RoomCipher::Create(RoomCipher::kMaxRsaBits, FillFromOpenSsl, stop.get_token()),
              test::StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(RoomCipher, RefusesWeakAndBrokenPublicKeys) {
  const auto cipher = GuestCipher();
  const std::string& good = cipher->public_key();
  std::string der;
  ASSERT_TRUE(absl::Base64Unescape(good, &der));
  struct Case {
    std::string_view name;
    std::string key;
  };
  const Case cases[] = {
      {.name = "none", .key = ""},
      {.name = "no base64", .key = "%%%%"},
      {.name = "no DER", .key = "AAAA"},
      {.name = "cut", .key = good.substr(0, 400)},
      {.name = "bytes behind it", .key = absl::Base64Escape(der + "x")},
      {.name = "too long", .key = good + std::string(4096, ' ')},
      {.name = "1024 bits", .key = SpkiOf(EVP_RSA_gen(1024))},
      {.name = "2047 bits", .key = SpkiOf(EVP_RSA_gen(2047))},
      {.name = "another algorithm", .key = SpkiOf(EVP_EC_gen("P-256"))},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(cipher->AddPeer("b", c.key), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_FALSE(cipher->HasPeer("b"));
    EXPECT_EQ(ERR_peek_error(), 0u);
  }
  EXPECT_THAT(cipher->AddPeer("", good), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(cipher->AddPeer(std::string(257, 'x'), good), StatusIs(StatusCode::kInvalidArgument));
}

TEST(RoomCipher, BoundsThePeers) {
  const auto cipher = GuestCipher();
  const std::string key = NewCipher()->public_key();
  for (size_t i = 0; i < RoomCipher::kMaxPeers; ++i) {
    ASSERT_THAT(cipher->AddPeer(std::to_string(i), key), IsOk());
  }
  EXPECT_THAT(cipher->AddPeer("one more", key), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(cipher->AddPeer("7", key), IsOk());
  cipher->RemovePeer("7");
  EXPECT_THAT(cipher->AddPeer("one more", key), IsOk());
}

TEST(RoomCipher, RefusesPrivateKeysThatCannotBeUsed) {
  const std::string pem = test::ReadOctGoldens().private_key_pem;
  for (const std::string& text :
       {std::string(), std::string("PEM"), pem.substr(0, 500), NewCipher()->public_key()}) {
    EXPECT_THAT(RoomCipher::FromPem(text), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_EQ(ERR_peek_error(), 0u);
  }
  for (const int bits : {-1, 0, 1024, 2047, 8193}) {
    EXPECT_THAT(RoomCipher::Create(bits), StatusIs(StatusCode::kInvalidArgument));
  }
}

// No oracle: a key entry for somebody else, two key entries, a padding error, and all else that
// may be wrong look alike.
TEST(RoomCipher, SaysTheSameOfEachMessageThatItCannotDecrypt) {
  LoopedMessage message;
  const auto other = NewCipher();
  const KeyEntry entry = message.sent.keys[0];
  const std::string content = message.sent.content;
  const auto with = [&entry](auto change) {
    KeyEntry changed = entry;
    change(changed);
    return changed;
  };
  ASSERT_THAT(other->AddPeer("b", other->public_key()), IsOk());
  const auto foreign = other->Encrypt(kAnyContent, std::vector<std::string>{"b"});
  ASSERT_THAT(foreign, IsOk());
  std::string wrong_padding = content;
  wrong_padding[content.size() - 17] ^= 1;  // flips a bit of the last byte of the last block

  struct Case {
    std::string_view name;
    std::vector<KeyEntry> keys;
    std::string content;
    std::string_view compression = kNoCompression;
  };
  const Case cases[] = {
      {.name = "no key entry", .keys = {}, .content = content},
      {.name = "a key entry for somebody else",
       .keys = {with([](KeyEntry& e) { e.target = "c"; })},
       .content = content},
      {.name = "two key entries", .keys = {entry, entry}, .content = content},
      {.name = "a padding error", .keys = {entry}, .content = wrong_padding},
      {.name = "no content", .keys = {entry}, .content = ""},
      {.name = "part of a block", .keys = {entry}, .content = content.substr(1)},
      {.name = "a key for another RSA key", .keys = foreign->keys, .content = foreign->content},
      {.name = "a key that is no base64",
       .keys = {with([](KeyEntry& e) { e.key = "%"; })},
       .content = content},
      {.name = "a short key",
       .keys = {with([](KeyEntry& e) { e.key = "AAAA"; })},
       .content = content},
      {.name = "an endless key",
       .keys = {with([](KeyEntry& e) { e.key += std::string(4096, ' '); })},
       .content = content},
      {.name = "a short iv",
       .keys = {with([](KeyEntry& e) { e.iv = "AAAA"; })},
       .content = content},
      {.name = "an iv that is no base64",
       .keys = {with([](KeyEntry& e) { e.iv = "%"; })},
       .content = content},
      {.name = "an unknown compression",
       .keys = {entry},
       .content = content,
       .compression = "brotli"},
      {.name = "not gzip", .keys = {entry}, .content = content, .compression = kGzipCompression},
  };
  const auto first = message.cipher->Decrypt("", {}, "b", kNoCompression);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto result = message.cipher->Decrypt(c.content, c.keys, "b", c.compression);
    EXPECT_EQ(result.status(), first.status());
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(ERR_peek_error(), 0u);
  }
  EXPECT_THAT(message.Decrypt(), IsOkAndHolds(std::string(kAnyContent)));
}

TEST(RoomCipher, TakesTheOnlyEntryForItself) {
  LoopedMessage message;
  message.sent.keys.insert(message.sent.keys.begin(), {.target = "c", .key = "x", .iv = "y"});
  EXPECT_THAT(message.Decrypt(), IsOkAndHolds(std::string(kAnyContent)));
}

TEST(RoomCipher, RefusesAKeyOfAnotherSize) {
  // 16 bytes, as it would be for AES-128.
  LoopedMessage message;
  std::string der;
  ASSERT_TRUE(absl::Base64Unescape(message.cipher->public_key(), &der));
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  EVP_PKEY* key = d2i_PUBKEY(nullptr, &at, static_cast<long>(der.size()));
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(key, nullptr);
  EVP_PKEY_encrypt_init(context);
  EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING);
  EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256());
  std::string wrapped(512, '\0');
  size_t size = wrapped.size();
  const std::string secret(16, 's');
  EXPECT_EQ(EVP_PKEY_encrypt(context, reinterpret_cast<unsigned char*>(wrapped.data()), &size,
                             reinterpret_cast<const unsigned char*>(secret.data()), secret.size()),
            1);
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(key);
  message.sent.keys[0].key = absl::Base64Escape(wrapped);
  EXPECT_THAT(message.Decrypt(), StatusIs(StatusCode::kInvalidArgument));
}

TEST(RoomCipher, ForgetsTheOldestKeysOfPeers) {
  const auto receiver = NewCipher();
  const auto sender = GuestCipher();
  ASSERT_THAT(sender->AddPeer("b", receiver->public_key()), IsOk());
  std::vector<RoomCipher::Encrypted> all;
  // More keys than are kept, then the first one again.
  for (size_t i = 0; i < RoomCipher::kMaxForeignKeys + 2; ++i) {
    ASSERT_THAT(sender->Renew(), IsOk());
    const auto sent = sender->Encrypt(kAnyContent, std::vector<std::string>{"b"});
    ASSERT_THAT(sent, IsOk());
    all.push_back(*sent);
  }
  all.push_back(all.front());
  for (const RoomCipher::Encrypted& sent : all) {
    ASSERT_THAT(receiver->Decrypt(sent.content, sent.keys, "b", kNoCompression),
                IsOkAndHolds(std::string(kAnyContent)));
  }
}

TEST(RoomCipher, InflatesWithinBounds) {
  LoopedMessage message;
  const std::string text(900, 'x');
  message.Encrypt(wire::Gzip(text));
  EXPECT_THAT(message.Decrypt(kGzipCompression), IsOkAndHolds(text));
  // Over the total, and over the factor: deflate reaches 1030 to 1.
  const std::string once = wire::Gzip(std::string(size_t{8} << 20, '\0'));
  std::string bomb;
  for (int i = 0; i < 9; ++i) bomb += once;
  for (const std::string& bytes : {bomb, once}) {
    message.Encrypt(bytes);
    EXPECT_THAT(message.Decrypt(kGzipCompression), StatusIs(StatusCode::kInvalidArgument));
  }
}

TEST(RoomCipher, TakesContentOfAnySize) {
  LoopedMessage message;
  for (const size_t size : std::initializer_list<size_t>{0, 1, 15, 16, 17, 100000}) {
    const std::string content(size, 'x');
    message.Encrypt(content);
    EXPECT_EQ(message.sent.content.size(), size / 16 * 16 + 16);
    EXPECT_THAT(message.Decrypt(), IsOkAndHolds(content));
  }
}

}  // namespace
}  // namespace cursorwire::oct
