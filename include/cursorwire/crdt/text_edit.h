// Room: values
#ifndef CURSORWIRE_CRDT_TEXT_EDIT_H_
#define CURSORWIRE_CRDT_TEXT_EDIT_H_

#include <cstdint>
#include <string>

namespace cursorwire {

// What places in a text are counted in.
enum class OffsetUnit : uint8_t {
  kCodePoints,  // as Python, Rust and Neovim count
  kUtf16,       // as JavaScript counts
  kBytes,       // of UTF-8
};

// `deleted` units from `at` have given way to `inserted`. A value.
struct TextEdit {
  uint32_t at = 0;
  uint32_t deleted = 0;
  std::string inserted{};

  friend bool operator==(const TextEdit&, const TextEdit&) = default;
};

// A place that stays at its character while the text changes around it. A value; of one document.
struct TextAnchor {
  uint64_t element = 0;  // 0: the end of the text

  friend bool operator==(const TextAnchor&, const TextAnchor&) = default;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CRDT_TEXT_EDIT_H_
