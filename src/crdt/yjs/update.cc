#include "crdt/yjs/update.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/primitives.h"

namespace cursorwire::yjs {
namespace {

using crdt::AppendUint;

// The byte in front of a struct: docs/collab/yjs.md, "Updates".
constexpr uint8_t kYjsHasOrigin = 0x80;
constexpr uint8_t kYjsHasRightOrigin = 0x40;
constexpr uint8_t kYjsHasKey = 0x20;
constexpr uint8_t kYjsKindMask = 0x1f;
constexpr uint8_t kYjsGarbage = 0;
constexpr uint8_t kYjsSkip = 10;
constexpr auto kYjsLastContent = static_cast<uint8_t>(ContentKind::kDocument);

constexpr uint64_t kYjsParentId = 0;
constexpr uint64_t kYjsParentRoot = 1;

// The least bytes that each can have.
constexpr size_t kYjsClientBytes = 3;
constexpr size_t kYjsStructBytes = 2;
constexpr size_t kYjsDeletesBytes = 2;
constexpr size_t kYjsRangeBytes = 2;
constexpr size_t kYjsClockBytes = 2;

class YjsUpdateReader {
 public:
  explicit YjsUpdateReader(std::string_view bytes) : size_(bytes.size()), reader_(bytes) {}

  absl::StatusOr<Update> Read();

 private:
  ClientStructs TakeClient();
  Struct TakeStruct(const Id& id);
  void TakeItem(uint8_t info, Struct& item);
  Parent TakeParent();
  ClientDeletes TakeDeletes();
  ClockRange TakeRange(uint64_t client);
  uint64_t TakeCount(size_t least_bytes);

  // What is read next is `part`, of this client from this clock on.
  void Begin(std::string_view part, const std::optional<Id>& id = std::nullopt);
  void Refuse(std::string_view problem, absl::StatusCode code = absl::StatusCode::kInvalidArgument);
  void CheckLength(uint64_t clock, uint64_t length);
  absl::Status Error() const;

  const size_t size_;
  crdt::ByteReader reader_;
  uint64_t structs_ = 0;
  uint64_t ranges_ = 0;

  std::string_view part_;
  size_t part_byte_ = 0;
  std::optional<Id> part_id_;
  std::string_view problem_ = "is cut off, or does not follow the format,";
  absl::StatusCode code_ = absl::StatusCode::kInvalidArgument;
};

absl::StatusOr<Update> YjsUpdateReader::Read() {
  Update update;
  Begin("the number of clients");
  for (uint64_t count = TakeCount(kYjsClientBytes); count > 0 && !reader_.failed(); --count) {
    update.clients.push_back(TakeClient());
  }
  Begin("the number of clients with deletes");
  for (uint64_t count = TakeCount(kYjsDeletesBytes); count > 0 && !reader_.failed(); --count) {
    update.deletes.push_back(TakeDeletes());
  }
  Begin("the end");
  if (!reader_.empty()) Refuse("goes on");
  if (reader_.failed()) return Error();
  return update;
}

ClientStructs YjsUpdateReader::TakeClient() {
  Begin("a client");
  const uint64_t count = TakeCount(kYjsStructBytes);
  ClientStructs result;
  result.client = TakeNumber(reader_);
  result.clock = TakeNumber(reader_);
  structs_ += std::max(count, uint64_t{1});  // a client without any takes memory, too
  if (structs_ > kMaxStructs) {
    Refuse("has too many structs", absl::StatusCode::kResourceExhausted);
  }
  if (reader_.failed()) return result;
  result.structs.reserve(static_cast<size_t>(count));
  Id id{.client = result.client, .clock = result.clock};
  for (uint64_t i = 0; i < count && !reader_.failed(); ++i) {
    result.structs.push_back(TakeStruct(id));
    id.clock += result.structs.back().length;
  }
  return result;
}

Struct YjsUpdateReader::TakeStruct(const Id& id) {
  Begin("a struct", id);
  Struct item{.id = id};
  const uint8_t info = reader_.TakeByte();
  const auto kind = static_cast<uint8_t>(info & kYjsKindMask);
  if (kind == kYjsGarbage || kind == kYjsSkip) {
    if (info != kind) Refuse("has flags that only an item may have");
    item.kind = kind == kYjsSkip ? StructKind::kSkip : StructKind::kGarbage;
    item.length = TakeNumber(reader_);
  } else if (kind > kYjsLastContent) {
    Refuse("has a kind of content that is not known");
  } else {
    TakeItem(info, item);
  }
  CheckLength(id.clock, item.length);
  return item;
}

void YjsUpdateReader::TakeItem(uint8_t info, Struct& item) {
  item.has_key = (info & kYjsHasKey) != 0;
  if ((info & kYjsHasOrigin) != 0) item.origin = TakeId(reader_);
  if ((info & kYjsHasRightOrigin) != 0) item.right_origin = TakeId(reader_);
  if (!item.origin && !item.right_origin) {
    item.parent = TakeParent();
    if (item.has_key) item.key = TakeText(reader_);
  }
  item.content = TakeContent(reader_, info & kYjsKindMask);
  item.length = item.content.length;
}

Parent YjsUpdateReader::TakeParent() {
  const uint64_t kind = TakeNumber(reader_);
  if (kind == kYjsParentRoot) return RootName{.name = TakeText(reader_)};
  if (kind != kYjsParentId) Refuse("has a kind of parent that is not known");
  return TakeId(reader_);
}

ClientDeletes YjsUpdateReader::TakeDeletes() {
  Begin("a client with deletes");
  ClientDeletes deletes{.client = TakeNumber(reader_)};
  const uint64_t count = TakeCount(kYjsRangeBytes);
  ranges_ += std::max(count, uint64_t{1});
  if (ranges_ > kMaxDeletedRanges) {
    Refuse("has too many deleted ranges", absl::StatusCode::kResourceExhausted);
  }
  if (reader_.failed()) return deletes;
  deletes.ranges.reserve(static_cast<size_t>(count));
  for (uint64_t i = 0; i < count && !reader_.failed(); ++i) {
    deletes.ranges.push_back(TakeRange(deletes.client));
  }
  return deletes;
}

ClockRange YjsUpdateReader::TakeRange(uint64_t client) {
  Begin("a deleted range", Id{.client = client});
  ClockRange range;
  range.clock = TakeNumber(reader_);
  if (part_id_) part_id_->clock = range.clock;
  range.length = TakeNumber(reader_);
  CheckLength(range.clock, range.length);
  return range;
}

uint64_t YjsUpdateReader::TakeCount(size_t least_bytes) {
  const uint64_t count = TakeNumber(reader_);
  if (count > reader_.rest().size() / least_bytes)
    Refuse("has a count above what its bytes can hold");
  return reader_.failed() ? 0 : count;
}

void YjsUpdateReader::Begin(std::string_view part, const std::optional<Id>& id) {
  if (reader_.failed()) return;
  part_ = part;
  part_byte_ = size_ - reader_.rest().size();
  part_id_ = id;
}

void YjsUpdateReader::Refuse(std::string_view problem, absl::StatusCode code) {
  if (reader_.failed()) return;
  problem_ = problem;
  code_ = code;
  reader_.Fail();
}

void YjsUpdateReader::CheckLength(uint64_t clock, uint64_t length) {
  if (length == 0) Refuse("has a length of 0");
  if (length > kHighestNumber + 1 - clock) Refuse("has clocks above 2^53");
}

absl::Status YjsUpdateReader::Error() const {
  std::string message =
      absl::StrCat("a Yjs update ", ToAbsl(problem_), " at byte ", part_byte_, ": ", ToAbsl(part_));
  if (part_id_) {
    absl::StrAppend(&message, " of client ", part_id_->client, ", clock ", part_id_->clock);
  }
  return {code_, message};
}

void AppendYjsParent(std::string& out, const Parent& parent) {
  if (const auto* const root = std::get_if<RootName>(&parent)) {
    AppendUint(out, kYjsParentRoot);
    crdt::AppendString(out, root->name);
  } else if (const auto* const id = std::get_if<Id>(&parent)) {
    AppendUint(out, kYjsParentId);
    AppendId(out, *id);
  }
}

void AppendYjsItem(std::string& out, const Struct& item) {
  const bool has_neighbour = item.origin || item.right_origin;
  auto info = static_cast<uint8_t>(item.content.kind);
  if (item.origin) info |= kYjsHasOrigin;
  if (item.right_origin) info |= kYjsHasRightOrigin;
  if (item.key || (has_neighbour && item.has_key)) info |= kYjsHasKey;
  out.push_back(static_cast<char>(info));
  if (item.origin) AppendId(out, *item.origin);
  if (item.right_origin) AppendId(out, *item.right_origin);
  if (!has_neighbour) {
    AppendYjsParent(out, item.parent);
    if (item.key) crdt::AppendString(out, *item.key);
  }
  AppendContent(out, item.content);
}

}  // namespace

absl::StatusOr<Update> ReadUpdate(std::string_view bytes) { return YjsUpdateReader(bytes).Read(); }

std::string WriteUpdate(const Update& update) {
  std::string out;
  AppendUint(out, update.clients.size());
  for (const ClientStructs& client : update.clients) {
    AppendUint(out, client.structs.size());
    AppendUint(out, client.client);
    AppendUint(out, client.clock);
    for (const Struct& item : client.structs) AppendStruct(out, item);
  }
  AppendDeletes(out, update.deletes);
  return out;
}

void AppendStruct(std::string& out, const Struct& item) {
  if (item.kind == StructKind::kItem) return AppendYjsItem(out, item);
  out.push_back(static_cast<char>(item.kind == StructKind::kSkip ? kYjsSkip : kYjsGarbage));
  AppendUint(out, item.length);
}

void AppendDeletes(std::string& out, const std::vector<ClientDeletes>& deletes) {
  AppendUint(out, deletes.size());
  for (const ClientDeletes& client : deletes) {
    AppendUint(out, client.client);
    AppendUint(out, client.ranges.size());
    for (const ClockRange& range : client.ranges) {
      AppendUint(out, range.clock);
      AppendUint(out, range.length);
    }
  }
}

absl::StatusOr<StateVector> ReadStateVector(std::string_view bytes) {
  crdt::ByteReader reader(bytes);
  StateVector clocks;
  const uint64_t count = TakeNumber(reader);
  if (count > reader.rest().size() / kYjsClockBytes) reader.Fail();
  if (!reader.failed() && count > kMaxStateClients) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a Yjs state vector of ", count, " clients, limit ", kMaxStateClients));
  }
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) clocks.push_back(TakeId(reader));
  if (reader.failed() || !reader.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a Yjs state vector of ", bytes.size(), " bytes does not follow the format"));
  }
  return clocks;
}

std::string WriteStateVector(const StateVector& clocks) {
  std::string out;
  AppendUint(out, clocks.size());
  for (const Id& clock : clocks) AppendId(out, clock);
  return out;
}

}  // namespace cursorwire::yjs
