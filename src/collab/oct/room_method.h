#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_METHOD_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_METHOD_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace cursorwire::oct {

// What is said in a room: docs/collab/oct.md, "Methods".
enum class RoomMethod : uint8_t {
  kPeerInfo,
  kPeerInit,
  kRoomJoined,
  kRoomLeft,
  kRoomClosed,
  kRoomLeave,
  kPermissionsUpdated,
  kEditorOpen,
  kDataUpdate,
  kDataNotify,
  kAwarenessUpdate,
  kAwarenessNotify,
  kAwarenessQuery,
  kChatMessage,
  kOther,  // one that means nothing here
};

inline constexpr std::array<std::pair<RoomMethod, std::string_view>, 14> kRoomMethods{{
    {RoomMethod::kPeerInfo, "peer/info"},
    {RoomMethod::kPeerInit, "peer/init"},
    {RoomMethod::kRoomJoined, "room/joined"},
    {RoomMethod::kRoomLeft, "room/left"},
    {RoomMethod::kRoomClosed, "room/closed"},
    {RoomMethod::kRoomLeave, "room/leave"},
    {RoomMethod::kPermissionsUpdated, "room/permissionsUpdated"},
    {RoomMethod::kEditorOpen, "editor/open"},
    {RoomMethod::kDataUpdate, "sync/dataUpdate"},
    {RoomMethod::kDataNotify, "sync/dataNotify"},
    {RoomMethod::kAwarenessUpdate, "sync/awarenessUpdate"},
    {RoomMethod::kAwarenessNotify, "sync/awarenessNotify"},
    {RoomMethod::kAwarenessQuery, "sync/awarenessQuery"},
    {RoomMethod::kChatMessage, "chat/message"},
}};

constexpr RoomMethod RoomMethodOf(std::string_view name) {
  for (const auto& [method, known] : kRoomMethods) {
    if (known == name) return method;
  }
  return RoomMethod::kOther;
}

// "" for kOther.
constexpr std::string_view NameOf(RoomMethod method) {
  for (const auto& [known, name] : kRoomMethods) {
    if (known == method) return name;
  }
  return "";
}

// Said by the server itself, and therefore not encrypted. Nobody else may say it.
constexpr bool IsOfServer(RoomMethod method) {
  return method == RoomMethod::kPeerInfo || method == RoomMethod::kRoomJoined ||
         method == RoomMethod::kRoomLeft || method == RoomMethod::kRoomClosed;
}

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_METHOD_H_
