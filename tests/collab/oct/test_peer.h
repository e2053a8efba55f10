#ifndef CURSORWIRE_TESTS_COLLAB_OCT_TEST_PEER_H_
#define CURSORWIRE_TESTS_COLLAB_OCT_TEST_PEER_H_

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collab/oct/envelope.h"
#include "collab/oct/msgpack.h"
#include "collab/oct/room_cipher.h"

namespace cursorwire::oct::room_test {

// One of three RSA keys of 2048 bits, which are made once in a process: that takes long.
inline const std::string& TestKeyPem(size_t number) {
  static std::array<std::string, 3>& pems = *new std::array<std::string, 3>();
  std::string& pem = pems.at(number);
  if (!pem.empty()) return pem;
  EVP_PKEY* const key = EVP_RSA_gen(2048U);
  BIO* const bio = BIO_new(BIO_s_mem());
  EXPECT_EQ(PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr), 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  pem.assign(bytes, static_cast<size_t>(size));
  BIO_free_all(bio);
  EVP_PKEY_free(key);
  return pem;
}

inline std::unique_ptr<RoomCipher> TestCipher(size_t number) {
  absl::StatusOr<std::unique_ptr<RoomCipher>> cipher = RoomCipher::FromPem(TestKeyPem(number));
  EXPECT_TRUE(cipher.ok()) << cipher.status();
  return *std::move(cipher);
}

inline nlohmann::json PeerJson(std::string_view id, std::string_view name, std::string_view key) {
  return {{"id", id},
          {"host", false},
          {"name", name},
          {"email", ""},
          {"metadata",
           {{"encryption", {{"publicKey", key}}}, {"compression", {{"supported", {"gzip"}}}}}}};
}

inline nlohmann::json Bytes(std::string_view bytes) {
  return nlohmann::json::binary(std::vector<uint8_t>(bytes.begin(), bytes.end()));
}

inline std::string TextOfBytes(const nlohmann::json& binary) {
  if (!binary.is_binary()) return "not binary";
  return {binary.get_binary().begin(), binary.get_binary().end()};
}

// The params of a call: those in braces, or one value as it is. Compilers differ in what a JSON
// value in braces is.
struct RoomParams {
  RoomParams() = default;
  RoomParams(std::initializer_list<nlohmann::json> each) {
    for (const nlohmann::json& one : each) value.push_back(one);
  }
  RoomParams(nlohmann::json all) : value(std::move(all)) {}

  nlohmann::json value = nlohmann::json::array();
};

inline nlohmann::json CallJson(std::string_view method, RoomParams params) {
  return {{"method", method}, {"params", std::move(params.value)}};
}

// As the server sends it: from itself, or in the name of a peer.
inline std::string ClearMessage(EnvelopeKind kind, nlohmann::json content,
                                const std::string& origin = "", const std::string& target = "") {
  return WriteEnvelope(
      {.kind = kind, .origin = origin, .target = target, .content = std::move(content)});
}

// What a peer can read of a message.
struct ReadCall {
  EnvelopeKind kind = EnvelopeKind::kOther;
  std::string target{};
  nlohmann::json content{};

  std::string method() const { return content.value("method", ""); }
  // The first param.
  nlohmann::json first() const {
    const nlohmann::json params = content.value("params", nlohmann::json::array());
    return params.empty() ? nlohmann::json() : params[0];
  }
};

// Somebody else in the room, who can encrypt for the session and read what it sends.
class TestPeer {
 public:
  TestPeer(std::string id, std::string name, size_t key_number)
      : id_(std::move(id)), name_(std::move(name)), cipher_(TestCipher(key_number)) {}

  const std::string& id() const { return id_; }
  const std::string& key() const { return cipher_->public_key(); }
  nlohmann::json json() const { return PeerJson(id_, name_, key()); }
  RoomCipher& cipher() { return *cipher_; }

  void Knows(const std::string& id, std::string_view key) {
    EXPECT_TRUE(cipher_->AddPeer(id, key).ok());
    other_ = id;
  }

  // As it arrives: encrypted for whom this peer knows, with the origin that the server has set.
  std::string Say(std::string_view method, RoomParams params,
                  EnvelopeKind kind = EnvelopeKind::kBroadcast) {
    return SayContent(WriteMsgpack(CallJson(method, std::move(params))), kind);
  }
  std::string SayContent(const std::string& content, EnvelopeKind kind = EnvelopeKind::kBroadcast) {
    absl::StatusOr<RoomCipher::Encrypted> encrypted = cipher_->Encrypt(content, {&other_, 1});
    EXPECT_TRUE(encrypted.ok() && !encrypted->keys.empty());
    return WriteEnvelope({.kind = kind,
                          .keys = std::move(encrypted->keys),
                          .id = RequestId("request 1"),
                          .origin = id_,
                          .target = other_,
                          .content = EncryptedContent{std::move(encrypted->content)}});
  }

  // nullopt: it is not for this peer.
  std::optional<ReadCall> Read(std::string_view message) {
    const absl::StatusOr<Envelope> envelope = ReadEnvelope(message);
    EXPECT_TRUE(envelope.ok()) << envelope.status();
    if (!envelope.ok()) return std::nullopt;
    ReadCall call{.kind = envelope->kind, .target = envelope->target};
    const auto* const encrypted = std::get_if<EncryptedContent>(&envelope->content);
    if (encrypted == nullptr) return std::nullopt;
    const absl::StatusOr<std::string> content =
        cipher_->Decrypt(encrypted->bytes, envelope->keys, id_, envelope->compression);
    if (!content.ok()) return std::nullopt;
    const absl::StatusOr<nlohmann::json> read = ReadMsgpack(*content);
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok()) return std::nullopt;
    call.content = *read;
    return call;
  }

 private:
  const std::string id_;
  const std::string name_;
  std::unique_ptr<RoomCipher> cipher_;
  std::string other_;
};

}  // namespace cursorwire::oct::room_test

#endif  // CURSORWIRE_TESTS_COLLAB_OCT_TEST_PEER_H_
