#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_PEER_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_PEER_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::oct {

// Characters of a name. The rest is cut off.
constexpr size_t kMaxPeerNameCharacters = 256;

// Somebody in the room, as the server and the host describe them: docs/collab/oct.md, "Methods".
struct RoomPeer {
  std::string id{};          // at most RoomCipher::kMaxPeerIdBytes, without control characters
  std::string name{};        // UTF-8; control characters are possible
  std::string public_key{};  // base64 of SPKI, not checked; empty: none, or too long to be one

  friend bool operator==(const RoomPeer&, const RoomPeer&) = default;
};

// Whether it can be the id of a peer.
bool IsRoomPeerId(std::string_view id);

// nullopt: it has no id that could be a peer's. All else may be missing.
std::optional<RoomPeer> ReadRoomPeer(const nlohmann::json& peer);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_PEER_H_
