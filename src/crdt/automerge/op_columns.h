#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_OP_COLUMNS_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_OP_COLUMNS_H_

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/operation.h"
#include "crdt/automerge/rle_column.h"
#include "crdt/bytes/byte_reader.h"

namespace cursorwire::automerge {

// What a column holds; the number is its id and its type in one.
enum class ColumnSpec : uint32_t {
  kObjectActor = 0x01,
  kObjectCounter = 0x02,
  kElementActor = 0x11,
  kElementCounter = 0x13,
  kMapKey = 0x15,
  kIdActor = 0x21,    // in documents
  kIdCounter = 0x23,  // in documents
  kInsert = 0x34,
  kAction = 0x42,
  kValueMetadata = 0x56,
  kValue = 0x57,
  // Of changes: predecessors.
  kPredecessorCount = 0x70,
  kPredecessorActor = 0x71,
  kPredecessorCounter = 0x73,
  // Of documents: successors.
  kSuccessorCount = 0x80,
  kSuccessorActor = 0x81,
  kSuccessorCounter = 0x83,
  kExpand = 0x94,
  kMarkName = 0xa5,
};

struct Column {
  uint32_t spec = 0;
  std::string_view bytes{};
};
// As many as a change has without marks are kept in place.
using Columns = absl::InlinedVector<Column, 12>;
// Specs and lengths.
using ColumnTable = absl::InlinedVector<std::pair<uint32_t, uint64_t>, 12>;

// The table of columns. TakeColumnBytes() then cuts the bytes that follow.
//   kInvalidArgument  not ascending, or too many
//   kDataLoss         cut short
absl::StatusOr<ColumnTable> TakeColumnTable(crdt::ByteReader& bytes);
//   kDataLoss  they reach beyond the end
absl::StatusOr<Columns> TakeColumnBytes(const ColumnTable& table, crdt::ByteReader& bytes);

// Empty where there is none.
std::string_view BytesOf(const Columns& columns, ColumnSpec spec);

// Bit 3 of a spec: the column is deflated. Only documents have such.
constexpr uint32_t kDeflatedColumn = 8;

struct OpLimits {
  // Of operations and their predecessors, in one change.
  uint64_t max_rows = 10000000;
};

// Reads the operations of a change, in their order; or those of a document, which stand in the
// order of their objects and keys, and have ids, and successors in place of predecessors. Actors
// are indexes as the change or the document has them.
//
// Order: Next() until it returns false; then status() says whether that was the end.
// Memory: that of the predecessors of one operation. Thread-compatible.
class OpReader {
 public:
  OpReader(const Columns& columns, size_t actors, const OpLimits& limits = {});

  // The views of `op` are valid until the next call.
  bool Next(OpView& op);
  // Takes the operations of a document that follow one of a single ASCII character with ids one
  // after the other, and are alike in all else but their successors' ids; returns their characters.
  // Which elements they name is not looked at.
  std::string_view NextTyping();
  // Of operations and their predecessors, that were read.
  uint64_t rows() const { return rows_; }
  // Of the operation that Next() gave, in a document; none without the columns.
  const OpId& id() const { return id_; }
  //   kInvalidArgument    what the columns say of an operation makes no sense
  //   kResourceExhausted  over a limit
  const absl::Status& status() const { return status_; }

 private:
  void Take(ColumnSpec spec, std::string_view bytes);
  // False after an error.
  bool Read(OpView& op);
  bool ReadKey(OpView& op);
  bool ReadPredecessors(OpView& op);
  bool ToId(const std::optional<uint64_t>& actor, int64_t counter, OpId& id);
  bool IsAtEnd() const;
  bool Fail(std::string_view what);

  const size_t actors_;
  const OpLimits limits_;
  RleReader<uint64_t> object_actor_;
  RleReader<uint64_t> object_counter_;
  RleReader<uint64_t> element_actor_;
  DeltaReader element_counter_;
  RleReader<std::string_view> map_key_;
  RleReader<uint64_t> id_actor_;
  DeltaReader id_counter_;
  BooleanReader insert_;
  RleReader<uint64_t> action_;
  RleReader<uint64_t> value_metadata_;
  crdt::ByteReader value_;
  RleReader<uint64_t> predecessor_count_;
  RleReader<uint64_t> predecessor_actor_;
  DeltaReader predecessor_counter_;
  BooleanReader expand_;
  RleReader<std::string_view> mark_name_;
  std::vector<OpId> predecessors_;
  OpId id_;
  uint64_t rows_ = 0;
  absl::Status status_;
};

// Writes such columns. Views that it is given must stay until Finish(). Thread-compatible.
class OpWriter {
 public:
  enum class Form : uint8_t { kChange, kDocument };

  explicit OpWriter(Form form = Form::kChange) : form_(form) {}

  void Append(const OpView& op) {
    AppendWithoutPredecessors(op);
    AppendPredecessors(op.predecessors);
  }
  void AppendWithoutPredecessors(const OpView& op);
  // Characters that go one after the other, the first of them, `first`, after `after`. Their
  // predecessors (of a document: successors) must follow.
  void AppendTyping(OpId object, OpId first, OpId after, std::string_view text, uint32_t count);
  void AppendPredecessors(std::span<const OpId> ids);
  void AppendNoPredecessors(uint32_t count) { predecessor_count_.Append(0, count); }
  // Of a document: the ids of the last `count` operations.
  void AppendIds(OpId first, uint32_t count);
  // Elements of one actor that are deleted as they were made; their counters grow by `step`.
  void AppendDeletes(OpId object, OpId first, int64_t step, uint32_t count);
  // The columns that have something in them, ascending. The views are valid until Clear().
  const Columns& Finish();
  void Clear();

 private:
  void AppendObject(OpId object, uint32_t count);
  void Keep(ColumnSpec spec, std::string_view bytes);

  const Form form_;
  bool has_ops_ = false;
  RleWriter<uint64_t> id_actor_;
  DeltaWriter id_counter_;
  RleWriter<uint64_t> object_actor_;
  RleWriter<uint64_t> object_counter_;
  RleWriter<uint64_t> element_actor_;
  DeltaWriter element_counter_;
  RleWriter<std::string_view> map_key_;
  BooleanWriter insert_;
  RleWriter<uint64_t> action_;
  RleWriter<uint64_t> value_metadata_;
  std::string value_;
  RleWriter<uint64_t> predecessor_count_;
  RleWriter<uint64_t> predecessor_actor_;
  DeltaWriter predecessor_counter_;
  BooleanWriter expand_;
  RleWriter<std::string_view> mark_name_;
  Columns columns_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_OP_COLUMNS_H_
