#ifndef CURSORWIRE_SRC_CRDT_YJS_ID_H_
#define CURSORWIRE_SRC_CRDT_YJS_ID_H_

#include <cstdint>

namespace cursorwire::yjs {

// The name of a unit: who made it, and how many units of his were made before. Both are below 2^53.
struct Id {
  uint64_t client = 0;
  uint64_t clock = 0;

  friend bool operator==(const Id&, const Id&) = default;
};

// Units of one client, one after the other.
struct ClockRange {
  uint64_t clock = 0;
  uint64_t length = 0;

  friend bool operator==(const ClockRange&, const ClockRange&) = default;
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_ID_H_
