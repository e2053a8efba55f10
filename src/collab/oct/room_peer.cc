#include "collab/oct/room_peer.h"

#include "base/strings.h"
#include "base/unseen.h"
#include "collab/oct/room_cipher.h"
#include "crdt/text/text_size.h"
#include "json/json_member.h"

namespace cursorwire::oct {
namespace {

// The most bytes that a character has.
constexpr size_t kMaxUtf8Bytes = 4;

// "" for what is no text, or longer than that: it is not copied before.
std::string ShortTextOf(const nlohmann::json& value, size_t max_bytes) {
  const auto* const text = value.get_ptr<const std::string*>();
  return text != nullptr && text->size() <= max_bytes ? *text : "";
}

std::string PeerNameOf(const nlohmann::json& value) {
  const auto* const text = value.get_ptr<const std::string*>();
  if (text == nullptr) return "";
  const std::string name = ToUtf8(Utf8Prefix(*text, kMaxUtf8Bytes * kMaxPeerNameCharacters));
  return std::string(crdt::PrefixOf(name, crdt::Unit::kCodePoints, kMaxPeerNameCharacters));
}

}  // namespace

bool IsRoomPeerId(std::string_view id) {
  if (id.empty() || id.size() > RoomCipher::kMaxPeerIdBytes || !IsUtf8(id)) return false;
  while (!id.empty()) {
    if (IsControl(TakeCharacter(id))) return false;
  }
  return true;
}

std::optional<RoomPeer> ReadRoomPeer(const nlohmann::json& peer) {
  RoomPeer read{.id = ShortTextOf(MemberOf(peer, "id"), RoomCipher::kMaxPeerIdBytes)};
  if (!IsRoomPeerId(read.id)) return std::nullopt;
  read.name = PeerNameOf(MemberOf(peer, "name"));
  const nlohmann::json& encryption = MemberOf(MemberOf(peer, "metadata"), "encryption");
  read.public_key =
      ShortTextOf(MemberOf(encryption, "publicKey"), RoomCipher::kMaxPublicKeyCharacters);
  return read;
}

}  // namespace cursorwire::oct
