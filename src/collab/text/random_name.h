#ifndef CURSORWIRE_SRC_COLLAB_TEXT_RANDOM_NAME_H_
#define CURSORWIRE_SRC_COLLAB_TEXT_RANDOM_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "cursorwire/collab/text_session.h"

namespace cursorwire::collab {

inline constexpr size_t kRandomNameCharacters = 8;

// `prefix`, and 8 random characters of [0-9a-z].
inline std::string RandomName(std::string_view prefix, const RandomBytes& random) {
  constexpr std::string_view kCharacters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string name(prefix);
  for (const char byte : random(kRandomNameCharacters)) {
    name += kCharacters[static_cast<unsigned char>(byte) % kCharacters.size()];
  }
  return name;
}

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_TEXT_RANDOM_NAME_H_
