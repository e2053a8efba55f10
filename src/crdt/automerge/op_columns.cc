#include "crdt/automerge/op_columns.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "crdt/text/text_size.h"

namespace cursorwire::automerge {
namespace {

constexpr size_t kMaxColumns = 64;
constexpr unsigned kValueTypeBits = 4;
constexpr uint64_t kValueTypeMask = 15;
constexpr uint64_t kLargestCounter = std::numeric_limits<uint32_t>::max();

std::optional<uint64_t> ActorOf(OpId id) {
  return id.is_none() ? std::nullopt : std::optional<uint64_t>(id.actor);
}

}  // namespace

absl::StatusOr<ColumnTable> TakeColumnTable(crdt::ByteReader& bytes) {
  ColumnTable table;
  const uint64_t count = bytes.TakeUint();
  if (count > kMaxColumns) {
    return absl::InvalidArgumentError(
        absl::StrCat(count, " columns are over the limit of ", kMaxColumns));
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t spec = bytes.TakeUint();
    const uint64_t size = bytes.TakeUint();
    if (spec > std::numeric_limits<uint32_t>::max() ||
        (!table.empty() &&
         (spec & ~uint64_t{kDeflatedColumn}) <= (table.back().first & ~kDeflatedColumn))) {
      return absl::InvalidArgumentError("columns are not in their order");
    }
    table.emplace_back(static_cast<uint32_t>(spec), size);
  }
  if (bytes.failed()) return absl::DataLossError("a table of columns is cut short");
  return table;
}

absl::StatusOr<Columns> TakeColumnBytes(const ColumnTable& table, crdt::ByteReader& bytes) {
  Columns columns;
  columns.reserve(table.size());
  for (const auto& [spec, size] : table) columns.push_back({spec, bytes.Take(size)});
  if (bytes.failed()) return absl::DataLossError("columns reach beyond the end of their chunk");
  return columns;
}

std::string_view BytesOf(const Columns& columns, ColumnSpec spec) {
  for (const Column& column : columns) {
    if (column.spec == static_cast<uint32_t>(spec)) return column.bytes;
  }
  return {};
}

OpReader::OpReader(const Columns& columns, size_t actors, const OpLimits& limits)
    : actors_(actors), limits_(limits) {
  for (const auto& [spec, bytes] : columns) Take(static_cast<ColumnSpec>(spec), bytes);
}

// Columns that are not known are none of ours.
void OpReader::Take(ColumnSpec spec, std::string_view bytes) {
  switch (spec) {
    case ColumnSpec::kObjectActor:
      object_actor_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kObjectCounter:
      object_counter_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kElementActor:
      element_actor_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kElementCounter:
      element_counter_ = DeltaReader(bytes);
      break;
    case ColumnSpec::kMapKey:
      map_key_ = RleReader<std::string_view>(bytes);
      break;
    case ColumnSpec::kInsert:
      insert_ = BooleanReader(bytes);
      break;
    case ColumnSpec::kAction:
      action_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kValueMetadata:
      value_metadata_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kValue:
      value_ = crdt::ByteReader(bytes);
      break;
    case ColumnSpec::kPredecessorCount:
    case ColumnSpec::kSuccessorCount:
      predecessor_count_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kPredecessorActor:
    case ColumnSpec::kSuccessorActor:
      predecessor_actor_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kPredecessorCounter:
    case ColumnSpec::kSuccessorCounter:
      predecessor_counter_ = DeltaReader(bytes);
      break;
    case ColumnSpec::kExpand:
      expand_ = BooleanReader(bytes);
      break;
    case ColumnSpec::kMarkName:
      mark_name_ = RleReader<std::string_view>(bytes);
      break;
    case ColumnSpec::kIdActor:
      id_actor_ = RleReader<uint64_t>(bytes);
      break;
    case ColumnSpec::kIdCounter:
      id_counter_ = DeltaReader(bytes);
      break;
  }
}

bool OpReader::Next(OpView& op) {
  if (!status_.ok()) return false;
  // The actions say how many operations there are.
  if (action_.at_end()) {
    if (!IsAtEnd()) Fail("columns have more rows than there are actions");
    return false;
  }
  return Read(op);
}

bool OpReader::Read(OpView& op) {
  if (++rows_ > limits_.max_rows) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("a change has more than ", limits_.max_rows, " operations"));
    return false;
  }
  const std::optional<uint64_t> action = action_.Next();
  if (!action) return Fail("an operation without an action");
  op.action = static_cast<Action>(*action);
  const std::optional<uint64_t> object = object_counter_.Next();
  if (object > uint64_t{kLargestCounter}) return Fail("the counter of an object is too large");
  if (!ToId(object_actor_.Next(), static_cast<int64_t>(object.value_or(0)), op.object)) {
    return Fail("an object that is none");
  }
  if (!ReadKey(op)) return false;
  if (!ToId(id_actor_.Next(), id_counter_.Next().value_or(0), id_)) {
    return Fail("an id that is none");
  }
  op.insert = insert_.Next();
  const uint64_t metadata = value_metadata_.Next().value_or(0);
  op.value = {static_cast<ValueType>(metadata & kValueTypeMask),
              value_.Take(metadata >> kValueTypeBits)};
  if (!ReadPredecessors(op)) return false;
  op.expand = expand_.Next();
  op.mark_name = mark_name_.Next();
  if (value_.failed() || value_metadata_.failed() || action_.failed() || insert_.failed() ||
      object_counter_.failed() || object_actor_.failed() || expand_.failed() ||
      mark_name_.failed()) {
    return Fail("a column is broken");
  }
  return true;
}

std::string_view OpReader::NextTyping() {
  const uint64_t count =
      std::min({object_actor_.SameLeft(), object_counter_.SameLeft(), map_key_.SameLeft(),
                id_actor_.SameLeft(), id_counter_.StepsLeft(), insert_.SameLeft(),
                action_.SameLeft(), value_metadata_.SameLeft(), predecessor_count_.SameLeft(),
                expand_.SameLeft(), mark_name_.SameLeft(), uint64_t{value_.rest().size()},
                limits_.max_rows - std::min(rows_, limits_.max_rows)});
  const std::string_view text = value_.rest().substr(0, count);
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char byte) { return static_cast<uint8_t>(byte) < 0x80; });
  const uint64_t later = predecessors_.size() * count;
  if (!ascii || later > limits_.max_rows - rows_ - count) return {};
  rows_ += count + later;
  object_actor_.SkipSame(count);
  object_counter_.SkipSame(count);
  element_actor_.SkipRows(count, [](const auto& /*value*/, uint64_t /*rows*/) {});
  element_counter_.SkipRows(count);
  map_key_.SkipSame(count);
  id_actor_.SkipSame(count);
  id_counter_.SkipRows(count);
  insert_.SkipSame(count);
  action_.SkipSame(count);
  value_metadata_.SkipSame(count);
  value_.Take(count);
  predecessor_count_.SkipSame(count);
  predecessor_actor_.SkipRows(later, [](const auto& /*value*/, uint64_t /*rows*/) {});
  predecessor_counter_.SkipRows(later);
  expand_.SkipSame(count);
  mark_name_.SkipSame(count);
  return text;
}

bool OpReader::ReadKey(OpView& op) {
  op.map_key = map_key_.Next();
  const std::optional<uint64_t> actor = element_actor_.Next();
  const std::optional<int64_t> counter = element_counter_.Next();
  if (map_key_.failed() || element_actor_.failed() || element_counter_.failed()) {
    return Fail("a column of keys is broken");
  }
  if (op.map_key.has_value() == counter.has_value()) {
    return Fail("an operation needs a key or an element");
  }
  if (!ToId(actor, counter.value_or(0), op.element)) return Fail("an element that is none");
  return true;
}

bool OpReader::ReadPredecessors(OpView& op) {
  predecessors_.clear();
  const uint64_t count = predecessor_count_.Next().value_or(0);
  if (count > limits_.max_rows - rows_) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("operations of a change overwrite more than ", limits_.max_rows, " others"));
    return false;
  }
  rows_ += count;
  for (uint64_t i = 0; i < count; ++i) {
    OpId id;
    if (!ToId(predecessor_actor_.Next(), predecessor_counter_.Next().value_or(0), id) ||
        id.is_none()) {
      return Fail("a predecessor that is no operation");
    }
    predecessors_.push_back(id);
  }
  if (predecessor_count_.failed()) return Fail("a column of predecessors is broken");
  op.predecessors = predecessors_;
  return true;
}

// Without an actor there is no operation, which counter 0 says too.
bool OpReader::ToId(const std::optional<uint64_t>& actor, int64_t counter, OpId& id) {
  if (actor.has_value() != (counter != 0)) return false;
  if (counter < 0 || counter > static_cast<int64_t>(kLargestCounter)) return false;
  if (actor.value_or(0) >= actors_) return false;
  id = {.counter = static_cast<uint32_t>(counter),
        .actor = static_cast<uint32_t>(actor.value_or(0))};
  return true;
}

bool OpReader::IsAtEnd() const {
  return object_actor_.at_end() && object_counter_.at_end() && element_actor_.at_end() &&
         element_counter_.at_end() && map_key_.at_end() && id_actor_.at_end() &&
         id_counter_.at_end() && insert_.at_end() && value_metadata_.at_end() && value_.empty() &&
         predecessor_count_.at_end() && predecessor_actor_.at_end() &&
         predecessor_counter_.at_end() && expand_.at_end() && mark_name_.at_end();
}

bool OpReader::Fail(std::string_view what) {
  status_ = absl::InvalidArgumentError(absl::StrCat("operations: ", ToAbsl(what)));
  return false;
}

void OpWriter::AppendObject(OpId object, uint32_t count) {
  has_ops_ = true;
  object_actor_.Append(ActorOf(object), count);
  object_counter_.Append(object.is_none() ? std::nullopt : std::optional<uint64_t>(object.counter),
                         count);
}

void OpWriter::AppendTyping(OpId object, OpId first, OpId after, std::string_view text,
                            uint32_t count) {
  AppendObject(object, count);
  element_actor_.Append(ActorOf(after));
  element_counter_.Append(after.counter);
  if (count > 1) {
    element_actor_.Append(first.actor, count - 1);
    element_counter_.AppendSteps(first.counter, 1, count - 1);
  }
  map_key_.Append(std::nullopt, count);
  insert_.Append(true, count);
  action_.Append(static_cast<uint64_t>(Action::kSet), count);
  value_ += text;
  constexpr auto kText = static_cast<uint64_t>(ValueType::kString);
  if (text.size() == count) {
    value_metadata_.Append(1U << kValueTypeBits | kText, count);
  } else {
    for (; !text.empty();) {
      const size_t size = crdt::PrefixOf(text, crdt::Unit::kCodePoints, 1).size();
      value_metadata_.Append(size << kValueTypeBits | kText);
      text.remove_prefix(size);
    }
  }
  expand_.Append(false, count);
  mark_name_.Append(std::nullopt, count);
}

void OpWriter::AppendPredecessors(std::span<const OpId> ids) {
  predecessor_count_.Append(ids.size());
  for (const OpId& id : ids) {
    predecessor_actor_.Append(id.actor);
    predecessor_counter_.Append(id.counter);
  }
}

void OpWriter::AppendIds(OpId first, uint32_t count) {
  id_actor_.Append(first.actor, count);
  id_counter_.AppendSteps(first.counter, 1, count);
}

void OpWriter::AppendDeletes(OpId object, OpId first, int64_t step, uint32_t count) {
  AppendObject(object, count);
  element_actor_.Append(first.actor, count);
  element_counter_.AppendSteps(first.counter, step, count);
  map_key_.Append(std::nullopt, count);
  insert_.Append(false, count);
  action_.Append(static_cast<uint64_t>(Action::kDelete), count);
  value_metadata_.Append(0, count);
  predecessor_count_.Append(1, count);
  predecessor_actor_.Append(first.actor, count);
  predecessor_counter_.AppendSteps(first.counter, step, count);
  expand_.Append(false, count);
  mark_name_.Append(std::nullopt, count);
}

void OpWriter::AppendWithoutPredecessors(const OpView& op) {
  AppendObject(op.object, 1);
  if (op.map_key) {
    element_actor_.Append(std::nullopt);
    element_counter_.Append(std::nullopt);
  } else {
    element_actor_.Append(ActorOf(op.element));
    element_counter_.Append(op.element.counter);
  }
  map_key_.Append(op.map_key);
  insert_.Append(op.insert);
  action_.Append(static_cast<uint64_t>(op.action));
  value_metadata_.Append(uint64_t{op.value.bytes.size()} << kValueTypeBits |
                         static_cast<uint64_t>(op.value.type));
  value_ += op.value.bytes;
  expand_.Append(op.expand);
  mark_name_.Append(op.mark_name);
}

const Columns& OpWriter::Finish() {
  columns_.clear();
  if (!has_ops_) return columns_;
  Keep(ColumnSpec::kObjectActor, object_actor_.Finish());
  Keep(ColumnSpec::kObjectCounter, object_counter_.Finish());
  Keep(ColumnSpec::kElementActor, element_actor_.Finish());
  Keep(ColumnSpec::kElementCounter, element_counter_.Finish());
  Keep(ColumnSpec::kMapKey, map_key_.Finish());
  Keep(ColumnSpec::kIdActor, id_actor_.Finish());
  Keep(ColumnSpec::kIdCounter, id_counter_.Finish());
  Keep(ColumnSpec::kInsert, insert_.Finish());
  Keep(ColumnSpec::kAction, action_.Finish());
  Keep(ColumnSpec::kValueMetadata, value_metadata_.Finish());
  Keep(ColumnSpec::kValue, value_);
  const bool change = form_ == Form::kChange;
  Keep(change ? ColumnSpec::kPredecessorCount : ColumnSpec::kSuccessorCount,
       predecessor_count_.Finish());
  Keep(change ? ColumnSpec::kPredecessorActor : ColumnSpec::kSuccessorActor,
       predecessor_actor_.Finish());
  Keep(change ? ColumnSpec::kPredecessorCounter : ColumnSpec::kSuccessorCounter,
       predecessor_counter_.Finish());
  if (!expand_.all_false()) Keep(ColumnSpec::kExpand, expand_.Finish());
  Keep(ColumnSpec::kMarkName, mark_name_.Finish());
  return columns_;
}

void OpWriter::Clear() {
  has_ops_ = false;
  id_actor_.Clear();
  id_counter_.Clear();
  object_actor_.Clear();
  object_counter_.Clear();
  element_actor_.Clear();
  element_counter_.Clear();
  map_key_.Clear();
  insert_.Clear();
  action_.Clear();
  value_metadata_.Clear();
  value_.clear();
  predecessor_count_.Clear();
  predecessor_actor_.Clear();
  predecessor_counter_.Clear();
  expand_.Clear();
  mark_name_.Clear();
}

void OpWriter::Keep(ColumnSpec spec, std::string_view bytes) {
  if (!bytes.empty()) columns_.push_back({static_cast<uint32_t>(spec), bytes});
}

}  // namespace cursorwire::automerge
