#include "crdt/automerge/document_codec.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "crdt/bytes/byte_writer.h"
#include "wire/gzip.h"

namespace cursorwire::automerge {
namespace {

constexpr size_t kLongColumnBytes = 256;  // npm's automerge deflates longer ones
// Rows of alike operations take next to no bytes, also where the text of a user is of one line over
// and over. Each takes about 70 bytes while a history is made.
constexpr uint64_t kSurelyAllowedRows = 10000000;
constexpr uint64_t kRowsOfByte = 8;
// Of these, each takes about 300 bytes.
constexpr uint64_t kSurelyAllowedOtherRows = 100000;
constexpr uint64_t kOtherRowsOfByte = 64;
// A key that many operations have is stored once, and read for each.
constexpr uint64_t kSurelyAllowedKeyBytes = uint64_t{16} << 20;
constexpr uint64_t kKeyBytesOfByte = 64;
constexpr uint64_t kSurelyAllowedChanges = 200000;
// Each is a hash in a change, which is hashed again.
constexpr uint64_t kSurelyAllowedDeps = 300000;
constexpr uint64_t kDepsOfByte = 16;
constexpr unsigned kTypeBits = 4;
constexpr uint64_t kBytesType = static_cast<uint64_t>(ValueType::kBytes);

absl::Status NoDocument(std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("a document ", ToAbsl(why)));
}

absl::Status ReadActors(crdt::ByteReader& bytes, DocumentHead& document) {
  const uint64_t count = bytes.TakeUint();
  for (uint64_t i = 0; i < count && !bytes.failed(); ++i) {
    const std::string_view actor = bytes.TakeString();
    if (bytes.failed()) break;
    if (actor.empty() || (i > 0 && actor <= document.actors.back())) {
      return NoDocument("has actors out of their order");
    }
    document.actors.push_back(actor);
  }
  return absl::OkStatus();
}

absl::Status ReadActorsAndHeads(crdt::ByteReader& bytes, DocumentHead& document) {
  if (absl::Status status = ReadActors(bytes, document); !status.ok()) return status;
  const uint64_t count = bytes.TakeUint();
  for (uint64_t i = 0; i < count && !bytes.failed(); ++i) {
    const std::string_view hash = bytes.Take(ChangeHash::kSize);
    if (!bytes.failed()) document.heads.push_back(ChangeHash::From(hash));
  }
  return bytes.failed() ? absl::DataLossError("a document is cut short") : absl::OkStatus();
}

absl::Status InflateColumns(Columns& columns, DocumentHead& document, const ChunkLimits& limits,
                            WorkBudget* budget, size_t& inflated_bytes) {
  for (Column& column : columns) {
    if ((column.spec & kDeflatedColumn) == 0) continue;
    absl::StatusOr<std::string> inflated = InflatePart(column.bytes, limits, budget);
    if (!inflated.ok()) return inflated.status();
    inflated_bytes += inflated->size();
    if (inflated_bytes > limits.max_inflated_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the columns of a document become more than ", limits.max_inflated_bytes, " bytes"));
    }
    column.bytes = document.inflated.emplace_back(*std::move(inflated));
    column.spec &= ~kDeflatedColumn;
  }
  return absl::OkStatus();
}

void AppendTable(std::string& out, const Columns& columns) {
  crdt::AppendUint(out, columns.size());
  for (const Column& column : columns) {
    crdt::AppendUint(out, column.spec);
    crdt::AppendUint(out, column.bytes.size());
  }
}

// The columns with the long ones deflated, whose bytes go to `deflated`.
Columns Deflated(const Columns& columns, std::deque<std::string>& deflated) {
  Columns result;
  for (const Column& column : columns) {
    if (column.bytes.size() <= kLongColumnBytes) {
      result.push_back(column);
    } else {
      result.push_back(
          {column.spec | kDeflatedColumn, deflated.emplace_back(wire::Deflate(column.bytes))});
    }
  }
  return result;
}

std::string_view BytesOf(const Columns& columns, ChangeSpec spec) {
  return automerge::BytesOf(columns, static_cast<ColumnSpec>(spec));
}

}  // namespace

absl::StatusOr<std::vector<ChangeHash>> ReadDocumentHeads(std::string_view body) {
  crdt::ByteReader bytes(body);
  DocumentHead document;
  if (absl::Status status = ReadActorsAndHeads(bytes, document); !status.ok()) return status;
  return std::move(document.heads);
}

absl::StatusOr<DocumentHead> ReadDocument(std::string_view body, const ChunkLimits& limits,
                                          WorkBudget* budget) {
  crdt::ByteReader bytes(body);
  DocumentHead document;
  if (absl::Status status = ReadActorsAndHeads(bytes, document); !status.ok()) return status;
  const absl::StatusOr<ColumnTable> changes = TakeColumnTable(bytes);
  if (!changes.ok()) return changes.status();
  const absl::StatusOr<ColumnTable> operations = TakeColumnTable(bytes);
  if (!operations.ok()) return operations.status();
  absl::StatusOr<Columns> change_columns = TakeColumnBytes(*changes, bytes);
  if (!change_columns.ok()) return change_columns.status();
  absl::StatusOr<Columns> operation_columns = TakeColumnBytes(*operations, bytes);
  if (!operation_columns.ok()) return operation_columns.status();
  size_t inflated = 0;
  for (Columns* columns : {&*change_columns, &*operation_columns}) {
    absl::Status status = InflateColumns(*columns, document, limits, budget, inflated);
    if (!status.ok()) return status;
  }
  document.stored_bytes = body.size();
  document.changes = *std::move(change_columns);
  document.operations = *std::move(operation_columns);
  // What follows says which changes the heads are, which their hashes say too.
  return document;
}

uint64_t MaxRows(size_t stored_bytes, const HistoryLimits& limits) {
  // An operation that deletes is stored as what it deletes alone.
  return std::min(2 * limits.max_ops, kSurelyAllowedRows + kRowsOfByte * stored_bytes);
}

absl::Status CheckCounts(const DocumentCounts& counts, size_t stored_bytes,
                         const HistoryLimits& limits) {
  const auto check = [](uint64_t count, uint64_t most, std::string_view what) {
    if (count <= most) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("a document has more than ", most, " ", ToAbsl(what)));
  };
  // A change without an operation says nothing; npm's peers begin with one.
  const uint64_t most_changes =
      std::min<uint64_t>(limits.max_changes, counts.rows + kSurelyAllowedChanges);
  absl::Status status =
      check(counts.rows, MaxRows(stored_bytes, limits), "operations and overwritten ones");
  status.Update(check(counts.others, kSurelyAllowedOtherRows + kOtherRowsOfByte * stored_bytes,
                      "operations that are no text"));
  status.Update(check(counts.name_bytes, kSurelyAllowedKeyBytes + kKeyBytesOfByte * stored_bytes,
                      "bytes of keys and names, each as often as it is used"));
  status.Update(check(counts.changes, most_changes, "changes"));
  // Most changes have one.
  status.Update(check(counts.deps, counts.changes + kSurelyAllowedDeps + kDepsOfByte * stored_bytes,
                      "deps of changes"));
  status.Update(check(counts.extra_bytes, kMaxExtraBytes, "bytes of messages"));
  return status;
}

bool IsTypedText(const OpView& op) {
  return op.insert && !op.map_key && op.action == Action::kSet && !op.expand && !op.mark_name &&
         op.value.type == ValueType::kString && !op.value.bytes.empty();
}

// --- changes

ChangeRowReader::ChangeRowReader(const DocumentHead& document)
    : actors_(document.actors.size()),
      actor_(BytesOf(document.changes, ChangeSpec::kActor)),
      seq_(BytesOf(document.changes, ChangeSpec::kSeq)),
      max_op_(BytesOf(document.changes, ChangeSpec::kMaxOp)),
      time_(BytesOf(document.changes, ChangeSpec::kTime)),
      message_(BytesOf(document.changes, ChangeSpec::kMessage)),
      dep_count_(BytesOf(document.changes, ChangeSpec::kDepCount)),
      dep_(BytesOf(document.changes, ChangeSpec::kDep)),
      extra_metadata_(BytesOf(document.changes, ChangeSpec::kExtraMetadata)),
      extra_(BytesOf(document.changes, ChangeSpec::kExtra)) {}

bool ChangeRowReader::Next(ChangeRow& row) {
  if (!status_.ok()) return false;
  if (!actor_.at_end()) return Read(row);
  if (!seq_.at_end() || !max_op_.at_end() || !time_.at_end() || !message_.at_end() ||
      !dep_count_.at_end() || !dep_.at_end() || !extra_metadata_.at_end() || !extra_.empty()) {
    Fail("columns have more rows than there are actors");
  }
  return false;
}

bool ChangeRowReader::Read(ChangeRow& row) {
  const std::optional<uint64_t> actor = actor_.Next();
  const std::optional<int64_t> seq = seq_.Next();
  const std::optional<int64_t> max_op = max_op_.Next();
  if (!actor || *actor >= actors_) return Fail("an actor that is none");
  if (!seq || *seq < 1) return Fail("a number that is none");
  if (!max_op || *max_op < 0 || *max_op > std::numeric_limits<uint32_t>::max()) {
    return Fail("a counter that is no number of 32 bits");
  }
  row.actor = static_cast<uint32_t>(*actor);
  row.seq = static_cast<uint64_t>(*seq);
  row.max_op = static_cast<uint32_t>(*max_op);
  row.time = time_.Next().value_or(0);
  row.message = message_.Next().value_or(std::string_view());
  row.rest = extra_.Take(extra_metadata_.Next().value_or(0) >> kTypeBits);
  if (!ReadDeps(row)) return false;
  if (time_.failed() || message_.failed() || extra_metadata_.failed() || extra_.failed()) {
    return Fail("a column is broken");
  }
  ++rows_;
  return true;
}

bool ChangeRowReader::ReadDeps(ChangeRow& row) {
  row.deps.clear();
  const uint64_t count = dep_count_.Next().value_or(0);
  if (count > rows_ || dep_count_.failed()) return Fail("more deps than changes before it");
  for (uint64_t i = 0; i < count; ++i) {
    const std::optional<int64_t> dep = dep_.Next();
    if (!dep || *dep < 0 || *dep >= int64_t{rows_})
      return Fail("a dep that is no change before it");
    row.deps.push_back(static_cast<uint32_t>(*dep));
  }
  return true;
}

bool ChangeRowReader::Fail(std::string_view what) {
  status_ = absl::InvalidArgumentError(absl::StrCat("changes of a document: ", ToAbsl(what)));
  return false;
}

void ChangeRowWriter::Append(const ChangeRow& row) {
  actor_.Append(row.actor);
  seq_.Append(static_cast<int64_t>(row.seq));
  max_op_.Append(row.max_op);
  time_.Append(row.time);
  message_.Append(row.message.empty() ? std::nullopt : std::optional(row.message));
  dep_count_.Append(row.deps.size());
  for (const uint32_t dep : row.deps) dep_.Append(dep);
  extra_metadata_.Append(uint64_t{row.rest.size()} << kTypeBits | kBytesType);
  extra_ += row.rest;
}

Columns ChangeRowWriter::Finish() {
  Columns columns;
  const auto keep = [&columns](ChangeSpec spec, std::string_view bytes) {
    if (!bytes.empty()) columns.push_back({static_cast<uint32_t>(spec), bytes});
  };
  keep(ChangeSpec::kActor, actor_.Finish());
  keep(ChangeSpec::kSeq, seq_.Finish());
  keep(ChangeSpec::kMaxOp, max_op_.Finish());
  keep(ChangeSpec::kTime, time_.Finish());
  keep(ChangeSpec::kMessage, message_.Finish());
  keep(ChangeSpec::kDepCount, dep_count_.Finish());
  keep(ChangeSpec::kDep, dep_.Finish());
  keep(ChangeSpec::kExtraMetadata, extra_metadata_.Finish());
  keep(ChangeSpec::kExtra, extra_);
  return columns;
}

std::string WriteDocument(const DocumentHead& document, const std::vector<uint32_t>& head_indexes) {
  std::string out;
  crdt::AppendUint(out, document.actors.size());
  for (const std::string_view actor : document.actors) crdt::AppendString(out, actor);
  crdt::AppendUint(out, document.heads.size());
  for (const ChangeHash& head : document.heads) out += head.view();
  std::deque<std::string> deflated;
  const Columns changes = Deflated(document.changes, deflated);
  const Columns operations = Deflated(document.operations, deflated);
  AppendTable(out, changes);
  AppendTable(out, operations);
  for (const Columns* columns : {&changes, &operations}) {
    for (const Column& column : *columns) out += column.bytes;
  }
  for (const uint32_t index : head_indexes) crdt::AppendUint(out, index);
  return out;
}

}  // namespace cursorwire::automerge
