#ifndef CURSORWIRE_SRC_COLLAB_OCT_AWARENESS_STATE_H_
#define CURSORWIRE_SRC_COLLAB_OCT_AWARENESS_STATE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "crdt/yjs/relative_position.h"

namespace cursorwire::oct {

// Lists and objects within each other, and values, in a peer's state. One with more says nothing.
constexpr size_t kMaxAwarenessStateDepth = 32;
constexpr size_t kMaxAwarenessStateValues = 4096;

// What a state of a peer says here, whose other members are for editors: docs/collab/oct.md,
// "Documents".
struct AwarenessState {
  std::string peer{};  // its id, as it says itself
  // The file that it looks at; empty: none, or one that could not be named.
  std::string path{};

  friend bool operator==(const AwarenessState&, const AwarenessState&) = default;
};

// nullopt: no JSON, or it names no peer.
std::optional<AwarenessState> ReadAwarenessState(std::string_view text);

// The place that somebody shows to others.
struct RoomCaret {
  std::string path{};
  yjs::RelativePosition position{};
};

// The state of a peer with or without a caret, which is a selection of nothing.
std::string WriteAwarenessState(std::string_view peer, const std::optional<RoomCaret>& caret);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_AWARENESS_STATE_H_
