#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_EVENT_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_EVENT_H_

#include <absl/status/status.h>

#include <string>
#include <variant>

namespace cursorwire::oct {

// What happens in a room. Names are what peers call themselves: UTF-8, with any characters.

// We are in, and know the host. Once.
struct Joined {
  std::string peer_id{};  // ours
  std::string name{};     // as the server calls us
  std::string host_id{};
  std::string host_name{};
};
// Others have changed the document.
struct DocumentChanged {};
// The text of the active file is here. Once for each ActiveFile, and after the DocumentChanged that
// brought it. It does not come for a file that is empty: nothing tells it from one that has not
// been loaded.
struct Synced {};
// The host looks at another file, and was asked to load it.
struct ActiveFile {
  std::string path{};
};
// At first others may edit.
struct PermissionsChanged {
  bool read_only = false;
};
// After those that the host has named at first.
struct PeerJoined {
  std::string id{};
  std::string name{};
};
struct PeerLeft {
  std::string id{};
  std::string name{};
};
// The host has ended it. Nothing more comes.
struct RoomClosed {
  std::string reason{};
};
// Something was not taken, or not sent; the session goes on. Not each one is told of:
// RefusalCounts.
struct MessageRefused {
  absl::Status status{};
};
// The session is over.
//   kFailedPrecondition  the host speaks another version of the protocol
//   kUnavailable         the host does not tell who is in the room
//   kInternal            nothing can be encrypted
struct Failed {
  absl::Status status{};
};
using RoomEvent = std::variant<Joined, DocumentChanged, Synced, ActiveFile, PermissionsChanged,
                               PeerJoined, PeerLeft, RoomClosed, MessageRefused, Failed>;

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_EVENT_H_
