#ifndef CURSORWIRE_SRC_COLLAB_LIVE_SYSTEM_RANDOM_H_
#define CURSORWIRE_SRC_COLLAB_LIVE_SYSTEM_RANDOM_H_

#include <cstddef>
#include <random>
#include <string>

namespace cursorwire::collab {

// Bytes of the operating system's random source.
inline std::string SystemRandom(size_t count) {
  std::random_device random;
  std::string bytes;
  while (bytes.size() < count) bytes += static_cast<char>(random() & 0xFF);
  return bytes;
}

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_LIVE_SYSTEM_RANDOM_H_
