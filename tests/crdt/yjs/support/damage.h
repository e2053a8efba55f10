#ifndef CURSORWIRE_TESTS_CRDT_YJS_SUPPORT_DAMAGE_H_
#define CURSORWIRE_TESTS_CRDT_YJS_SUPPORT_DAMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::test {

// `read` is given bytes of its own, so that a sanitizer sees each read behind their end.

// Calls it with each prefix of `bytes`, but for the whole.
template <typename Read>
void CutAtEachByte(std::string_view bytes, const Read& read) {
  for (size_t size = 0; size < bytes.size(); ++size) read(std::string(bytes.substr(0, size)));
}

// Calls it with each byte changed to several others.
template <typename Read>
void ChangeEachByte(std::string_view bytes, const Read& read) {
  constexpr uint8_t kMasks[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x7f, 0xff};
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const uint8_t mask : kMasks) {
      std::string changed(bytes);
      changed[at] = static_cast<char>(static_cast<uint8_t>(changed[at]) ^ mask);
      read(changed);
    }
  }
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_CRDT_YJS_SUPPORT_DAMAGE_H_
