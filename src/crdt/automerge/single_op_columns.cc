#include "crdt/automerge/single_op_columns.h"

namespace cursorwire::automerge {
namespace {

constexpr uint64_t kOneLiteral = 0x7f;     // -1: one value
constexpr unsigned kMetadataTypeBits = 4;  // of the metadata of a value

}  // namespace

void SingleOpColumns::Keep(ColumnSpec spec, size_t start) {
  columns_.push_back({static_cast<uint32_t>(spec), {buffer_.data() + start, used_ - start}});
}

void SingleOpColumns::Put(ColumnSpec spec, uint64_t value) {
  const size_t start = used_;
  PutByte(kOneLiteral);
  for (; value >= 0x80; value >>= 7) PutByte(value | 0x80);
  PutByte(value);
  Keep(spec, start);
}

// Of a number that is not negative.
void SingleOpColumns::PutDelta(ColumnSpec spec, int64_t value) {
  const size_t start = used_;
  PutByte(kOneLiteral);
  for (; value >= 0x40; value >>= 7) PutByte(static_cast<uint64_t>(value) | 0x80);
  PutByte(static_cast<uint64_t>(value));
  Keep(spec, start);
}

void SingleOpColumns::PutBoolean(ColumnSpec spec, bool value) {
  const size_t start = used_;
  if (value) PutByte(0);
  PutByte(1);
  Keep(spec, start);
}

void SingleOpColumns::Begin(OpId object, OpId element) {
  used_ = 0;
  columns_.clear();
  if (!object.is_none()) {
    Put(ColumnSpec::kObjectActor, object.actor);
    Put(ColumnSpec::kObjectCounter, object.counter);
  }
  if (!element.is_none()) Put(ColumnSpec::kElementActor, element.actor);
  PutDelta(ColumnSpec::kElementCounter, element.counter);
}

const Columns& SingleOpColumns::Typing(OpId object, OpId after, std::string_view text) {
  Begin(object, after);
  PutBoolean(ColumnSpec::kInsert, true);
  Put(ColumnSpec::kAction, static_cast<uint64_t>(Action::kSet));
  Put(ColumnSpec::kValueMetadata,
      text.size() << kMetadataTypeBits | static_cast<uint64_t>(ValueType::kString));
  columns_.push_back({static_cast<uint32_t>(ColumnSpec::kValue), text});
  Put(ColumnSpec::kPredecessorCount, 0);
  return columns_;
}

const Columns& SingleOpColumns::Delete(OpId object, OpId element) {
  Begin(object, element);
  PutBoolean(ColumnSpec::kInsert, false);
  Put(ColumnSpec::kAction, static_cast<uint64_t>(Action::kDelete));
  Put(ColumnSpec::kValueMetadata, 0);
  Put(ColumnSpec::kPredecessorCount, 1);
  Put(ColumnSpec::kPredecessorActor, element.actor);
  PutDelta(ColumnSpec::kPredecessorCounter, element.counter);
  return columns_;
}

}  // namespace cursorwire::automerge
