#ifndef CURSORWIRE_SRC_COLLAB_TEXT_OFFSET_UNIT_H_
#define CURSORWIRE_SRC_COLLAB_TEXT_OFFSET_UNIT_H_

#include "crdt/text/text_size.h"
#include "cursorwire/collab/text_session.h"

namespace cursorwire::collab {

inline crdt::Unit UnitOf(OffsetUnit unit) {
  switch (unit) {
    case OffsetUnit::kUtf16:
      return crdt::Unit::kUtf16;
    case OffsetUnit::kBytes:
      return crdt::Unit::kBytes;
    case OffsetUnit::kCodePoints:
      break;
  }
  return crdt::Unit::kCodePoints;
}

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_TEXT_OFFSET_UNIT_H_
