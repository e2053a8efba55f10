#ifndef CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_H_
#define CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::collab {

// Where somebody is in a shared text: docs/collab/presence.md, "Message".
struct Cursor {
  std::string peer_id{};  // whose it is
  std::string name{};
  std::string type{};  // user, ai, streaming_edit, or what others call it
  // UTF-16 units in front of it, and of the other end of a selection.
  uint32_t position = 0;
  std::optional<uint32_t> anchor{};
  std::string color{};  // #RRGGBB as a rule
  // Of streaming_edit: the pattern as far as it is there. Empty: none.
  std::string partial_pattern{};
  // Of ai: regex_edit, insert, delete, replace, or another. Empty: none.
  std::string operation_type{};
  int64_t timestamp = 0;  // milliseconds since 1970, of the sender

  friend bool operator==(const Cursor&, const Cursor&) = default;
};

inline constexpr std::string_view kUserCursor = "user";
inline constexpr std::string_view kAiCursor = "ai";
inline constexpr std::string_view kStreamingEditCursor = "streaming_edit";

// The colour of a person that its cursor has on all screens.
std::string_view ColorOfPeer(std::string_view peer_id);
// Of a cursor of this type.
std::string_view ColorOf(std::string_view type, std::string_view peer_id);

// The data of an ephemeral message, if it is a cursor: nothing for all else. What a screen must not
// get is taken out: control characters, colours that are none, what is too long. `now`:
// milliseconds since 1970, for a message without a time.
std::optional<Cursor> ReadCursor(std::string_view data, int64_t now);
std::string WriteCursor(const Cursor& cursor);

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_H_
