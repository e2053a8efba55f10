#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_CODEC_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_CODEC_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/automerge/change_hash.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/op_columns.h"
#include "crdt/automerge/operation.h"
#include "crdt/automerge/rle_column.h"
#include "crdt/automerge/work_budget.h"
#include "crdt/bytes/byte_reader.h"

namespace cursorwire::automerge {

// A whole document in one chunk: docs/collab/automerge.md, "Document chunks". The views are into
// what it was read from, and into `inflated`.
struct DocumentHead {
  std::vector<std::string_view> actors{};  // ascending
  std::vector<ChangeHash> heads{};         // ascending
  Columns changes{};
  Columns operations{};
  std::deque<std::string> inflated{};
  size_t stored_bytes = 0;  // of all of it, before columns were inflated
};

//   kInvalidArgument    no document
//   kDataLoss           cut short
//   kResourceExhausted  over a limit
absl::StatusOr<DocumentHead> ReadDocument(std::string_view body, const ChunkLimits& limits,
                                          WorkBudget* budget = nullptr);
// The heads alone; what follows them is not looked at.
//   kInvalidArgument, kDataLoss  as above
absl::StatusOr<std::vector<ChangeHash>> ReadDocumentHeads(std::string_view body);

struct HistoryLimits {
  size_t max_changes = 5000000;
  uint64_t max_ops = 50000000;
};

// Messages of all changes of a document, what later versions say in them, and whole changes that
// are kept as they came.
constexpr size_t kMaxExtraBytes = size_t{256} * 1024 * 1024;

// How much a document has of what may take no bytes in it: alike rows of a column are one run.
struct DocumentCounts {
  uint64_t rows = 0;        // operations, and those that overwrite them, once for each
  uint64_t others = 0;      // operations that are no typed text
  uint64_t name_bytes = 0;  // of keys and names of marks, once for each operation that has it
  uint64_t changes = 0;
  uint64_t deps = 0;
  uint64_t extra_bytes = 0;  // messages of changes, and what later versions say in them
};

// Those of an operation, for DocumentCounts::name_bytes: it is copied and compared for each.
inline size_t NameBytesOf(const OpView& op) {
  return op.map_key.value_or("").size() + op.mark_name.value_or("").size();
}

// Whether a document of so many bytes, as it is stored, may have that much.
//   kResourceExhausted  over a limit
absl::Status CheckCounts(const DocumentCounts& counts, size_t stored_bytes,
                         const HistoryLimits& limits);
// The most rows that it may have.
uint64_t MaxRows(size_t stored_bytes, const HistoryLimits& limits);
// A character, or several in one, put into a sequence: takes bytes in any document.
bool IsTypedText(const OpView& op);

enum class ChangeSpec : uint32_t {
  kActor = 0x01,
  kSeq = 0x03,
  kMaxOp = 0x13,
  kTime = 0x23,
  kMessage = 0x35,
  kDepCount = 0x40,
  kDep = 0x43,
  kExtraMetadata = 0x56,
  kExtra = 0x57,
};

// What a document says of one of its changes.
struct ChangeRow {
  uint32_t actor = 0;
  uint64_t seq = 0;
  uint32_t max_op = 0;  // the counter of its last operation
  int64_t time = 0;
  std::string_view message{};
  std::string_view rest{};
  std::vector<uint32_t> deps{};  // numbers of changes before it
};

// Reads the changes of a document, in their order: each after those that it depends on.
//
// Order: Next() until it returns false; then status() says whether that was the end.
class ChangeRowReader {
 public:
  explicit ChangeRowReader(const DocumentHead& document);

  // The views of `row` are valid as long as the document.
  bool Next(ChangeRow& row);
  //   kInvalidArgument  what the columns say of a change makes no sense
  const absl::Status& status() const { return status_; }

 private:
  bool Read(ChangeRow& row);
  bool ReadDeps(ChangeRow& row);
  bool Fail(std::string_view what);

  const size_t actors_;
  uint32_t rows_ = 0;
  RleReader<uint64_t> actor_;
  DeltaReader seq_;
  DeltaReader max_op_;
  DeltaReader time_;
  RleReader<std::string_view> message_;
  RleReader<uint64_t> dep_count_;
  DeltaReader dep_;
  RleReader<uint64_t> extra_metadata_;
  crdt::ByteReader extra_;
  absl::Status status_;
};

// Writes that table. Messages must stay until Finish(). Thread-compatible.
class ChangeRowWriter {
 public:
  void Append(const ChangeRow& row);
  // Ascending. The views are valid as long as the writer.
  Columns Finish();

 private:
  RleWriter<uint64_t> actor_;
  DeltaWriter seq_;
  DeltaWriter max_op_;
  DeltaWriter time_;
  RleWriter<std::string_view> message_;
  RleWriter<uint64_t> dep_count_;
  DeltaWriter dep_;
  RleWriter<uint64_t> extra_metadata_;
  std::string extra_;
};

// The body of a document chunk. `head_indexes`: which change each head is. Long columns are
// deflated.
std::string WriteDocument(const DocumentHead& document, const std::vector<uint32_t>& head_indexes);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_CODEC_H_
