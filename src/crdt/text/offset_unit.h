#ifndef CURSORWIRE_SRC_CRDT_TEXT_OFFSET_UNIT_H_
#define CURSORWIRE_SRC_CRDT_TEXT_OFFSET_UNIT_H_

#include "crdt/text/text_size.h"
#include "cursorwire/crdt/text_edit.h"

namespace cursorwire::crdt {

inline Unit UnitOf(OffsetUnit unit) {
  switch (unit) {
    case OffsetUnit::kUtf16:
      return Unit::kUtf16;
    case OffsetUnit::kBytes:
      return Unit::kBytes;
    case OffsetUnit::kCodePoints:
      break;
  }
  return Unit::kCodePoints;
}

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_TEXT_OFFSET_UNIT_H_
