#ifndef CURSORWIRE_SRC_COLLAB_PRESENCE_SHOWN_TEXT_H_
#define CURSORWIRE_SRC_COLLAB_PRESENCE_SHOWN_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::collab {

// What a peer says of a cursor, made fit for a screen: docs/collab/presence.md, "Message".

inline constexpr size_t kMaxTextCharacters = 256;
// The name of a person who gives none.
inline constexpr std::string_view kNoName = "Anonymous";

// The first characters of `text` that are no control characters.
std::string ShownText(std::string_view text, size_t max_characters = kMaxTextCharacters);

// '#' and 3, 4, 6 or 8 hexadecimal digits.
bool IsColor(std::string_view text);

// A position in a text, cut to a whole number and to what fits. nullopt: `number` is negative or
// not finite.
std::optional<uint32_t> PositionOfNumber(double number);

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_PRESENCE_SHOWN_TEXT_H_
