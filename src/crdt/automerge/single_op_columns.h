#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SINGLE_OP_COLUMNS_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SINGLE_OP_COLUMNS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crdt/automerge/op_columns.h"
#include "crdt/automerge/operation.h"

namespace cursorwire::automerge {

// The columns of a change that is one key of a keyboard: what OpWriter would write, in a fifth of
// the time. Most changes of people are of this kind. Thread-compatible.
class SingleOpColumns {
 public:
  // One character after `after`. The views are valid until the next call, and as long as `text` is.
  const Columns& Typing(OpId object, OpId after, std::string_view text);
  // One element, as it was made.
  const Columns& Delete(OpId object, OpId element);

 private:
  // Of 32-bit numbers: 12 columns of a length and a number.
  static constexpr size_t kBufferBytes = 72;

  void Begin(OpId object, OpId element);
  void Put(ColumnSpec spec, uint64_t value);
  void PutDelta(ColumnSpec spec, int64_t value);
  void PutBoolean(ColumnSpec spec, bool value);
  void PutByte(uint64_t byte) { buffer_[used_++] = static_cast<char>(byte); }
  void Keep(ColumnSpec spec, size_t start);

  std::array<char, kBufferBytes> buffer_{};
  size_t used_ = 0;
  Columns columns_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SINGLE_OP_COLUMNS_H_
