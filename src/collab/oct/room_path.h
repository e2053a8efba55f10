#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_PATH_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_PATH_H_

#include <cstddef>
#include <string_view>

namespace cursorwire::oct {

// Bytes of a path of a peer. Longer ones are ignored.
constexpr size_t kMaxRoomPathBytes = 4096;

// Whether a text of a peer may name a file of the room: UTF-8, not empty, not over
// kMaxRoomPathBytes, without control characters. It is the name of a text, and opens nothing here.
bool IsRoomPath(std::string_view path);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_PATH_H_
