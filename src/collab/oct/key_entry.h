#ifndef CURSORWIRE_SRC_COLLAB_OCT_KEY_ENTRY_H_
#define CURSORWIRE_SRC_COLLAB_OCT_KEY_ENTRY_H_

#include <string>

namespace cursorwire::oct {

// With what one peer decrypts a message: docs/collab/oct.md, "Crypto".
struct KeyEntry {
  std::string target{};  // id of the peer
  std::string key{};     // the AES key, encrypted for it, in base64
  std::string iv{};      // in base64

  friend bool operator==(const KeyEntry&, const KeyEntry&) = default;
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_KEY_ENTRY_H_
