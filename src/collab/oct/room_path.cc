#include "collab/oct/room_path.h"

#include "base/strings.h"
#include "base/unseen.h"

namespace cursorwire::oct {

bool IsRoomPath(std::string_view path) {
  if (path.empty() || path.size() > kMaxRoomPathBytes || !IsUtf8(path)) return false;
  while (!path.empty()) {
    if (IsControl(TakeCharacter(path))) return false;
  }
  return true;
}

}  // namespace cursorwire::oct
