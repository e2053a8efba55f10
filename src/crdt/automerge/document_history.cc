#include "crdt/automerge/document_history.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/sha256.h"
#include "base/strings.h"
#include "crdt/automerge/change_codec.h"

namespace cursorwire::automerge {
namespace {

// Of rows of a document, and of bytes that are read again for them.
absl::Status TakeWork(WorkBudget* budget, uint64_t rows, size_t bytes) {
  if (budget == nullptr) return absl::OkStatus();
  return budget->Take(rows * kWorkOfDocumentRow + bytes / kBytesOfWork);
}

bool IsBefore(const OpId& a, const OpId& b) {
  return std::tie(a.actor, a.counter) < std::tie(b.actor, b.counter);
}

absl::Status NoHistory(std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("a document ", ToAbsl(why)));
}

// `later` overwrites the operation `target`.
struct Overwrite {
  OpId later;
  uint32_t target;  // as TypedText and OtherOperation are numbered
};

// What there may be millions of is kept in few bytes.
struct TypedText {
  OpId id;
  OpId object;
  OpId element;
  const char* text = nullptr;
  uint32_t size = 0;
};
struct OtherOperation {
  OpId id;
  OpView op;  // without predecessors
};

// All operations of a document, those that delete too, by actor and counter.
class Operations {
 public:
  struct Entry {
    OpId id;
    uint32_t number = kDeletes;
    uint32_t overwrites = 0;  // the first of its own
    uint32_t overwrite_count = 0;
  };

  explicit Operations(const DocumentHead& document) : of_actors_(document.actors.size()) {}

  absl::Status Read(const DocumentHead& document, const HistoryLimits& limits, WorkBudget* budget) {
    // Of predecessors, many may be read before they are counted.
    uint64_t max_rows = MaxRows(document.stored_bytes, limits);
    if (budget != nullptr) max_rows = std::min(max_rows, budget->left() / kWorkOfDocumentRow + 1);
    OpReader reader(document.operations, document.actors.size(), {.max_rows = max_rows});
    OpView op;
    while (reader.Next(op)) {
      if (reader.id().is_none()) return NoHistory("has an operation without an id");
      const uint64_t rows = 1 + op.predecessors.size();
      counts_.rows += rows;
      const size_t names = NameBytesOf(op);
      absl::Status taken = TakeWork(budget, rows, names);
      if (!taken.ok()) return taken;
      if (!IsTypedText(op)) {
        ++counts_.others;
        counts_.name_bytes += names;
        absl::Status status = CheckCounts(counts_, document.stored_bytes, limits);
        if (!status.ok()) return status;
      }
      const uint32_t number = Keep(reader.id(), op);
      for (const OpId& later : op.predecessors) overwrites_.push_back({later, number});
    }
    if (!reader.status().ok()) return reader.status();
    const auto before = [this](const Overwrite& a, const Overwrite& b) {
      if (a.later != b.later) return IsBefore(a.later, b.later);
      const OpId x = IdOf(a.target);
      const OpId y = IdOf(b.target);
      return std::tie(x.counter, x.actor) < std::tie(y.counter, y.actor);
    };
    std::sort(overwrites_.begin(), overwrites_.end(), before);
    return Sort();
  }

  // The next operations of `actor` with counters up to `most`.
  std::span<const Entry> Take(uint32_t actor, uint32_t most) {
    Queue& queue = of_actors_[actor];
    const size_t first = queue.next;
    while (queue.next < queue.end && entries_[queue.next].id.counter <= most) ++queue.next;
    return std::span(entries_).subspan(first, queue.next - first);
  }

  // The predecessors are valid until the next call.
  OpView ViewOf(const Entry& entry) {
    predecessors_.clear();
    for (uint32_t i = 0; i < entry.overwrite_count; ++i) {
      predecessors_.push_back(IdOf(overwrites_[entry.overwrites + i].target));
    }
    OpView op;
    if (entry.number != kDeletes) {
      op = Stored(entry.number);
    } else {
      const uint32_t number = overwrites_[entry.overwrites].target;
      const OpView target = Stored(number);
      op = {.object = target.object,
            .map_key = target.map_key,
            .element = target.insert ? IdOf(number) : target.element,
            .action = Action::kDelete};
    }
    op.predecessors = predecessors_;
    return op;
  }

  const DocumentCounts& counts() const { return counts_; }
  bool AllTaken() const {
    return std::all_of(of_actors_.begin(), of_actors_.end(),
                       [](const Queue& queue) { return queue.next == queue.end; });
  }

 private:
  // Numbers of others are those from this one on.
  static constexpr uint32_t kFirstOther = uint32_t{1} << 31;
  static constexpr uint32_t kDeletes = UINT32_MAX;

  // Those of an actor, in entries_.
  struct Queue {
    size_t next = 0;
    size_t end = 0;
  };

  uint32_t Keep(OpId id, const OpView& op) {
    if (IsTypedText(op)) {
      typed_.push_back({.id = id,
                        .object = op.object,
                        .element = op.element,
                        .text = op.value.bytes.data(),
                        .size = static_cast<uint32_t>(op.value.bytes.size())});
      return static_cast<uint32_t>(typed_.size() - 1);
    }
    others_.push_back({id, op});
    others_.back().op.predecessors = {};
    return kFirstOther + static_cast<uint32_t>(others_.size() - 1);
  }
  OpId IdOf(uint32_t number) const {
    return number < kFirstOther ? typed_[number].id : others_[number - kFirstOther].id;
  }
  OpView Stored(uint32_t number) const {
    if (number >= kFirstOther) return others_[number - kFirstOther].op;
    const TypedText& typed = typed_[number];
    return {.object = typed.object,
            .element = typed.element,
            .insert = true,
            .value = {ValueType::kString, std::string_view(typed.text, typed.size)}};
  }

  absl::Status Sort() {
    std::vector<Entry> stored;
    stored.reserve(typed_.size() + others_.size());
    for (uint32_t i = 0; i < typed_.size(); ++i) stored.push_back({typed_[i].id, i});
    for (uint32_t i = 0; i < others_.size(); ++i)
      stored.push_back({others_[i].id, kFirstOther + i});
    std::sort(stored.begin(), stored.end(),
              [](const Entry& a, const Entry& b) { return IsBefore(a.id, b.id); });
    const auto same = std::adjacent_find(
        stored.begin(), stored.end(), [](const Entry& a, const Entry& b) { return a.id == b.id; });
    if (same != stored.end()) return NoHistory("has two operations with one id");
    AddDeletes(stored);
    for (size_t i = 0; i < entries_.size(); ++i) {
      Queue& queue = of_actors_[entries_[i].id.actor];
      if (queue.end == 0) queue.next = i;
      queue.end = i + 1;
    }
    return absl::OkStatus();
  }

  // Deletes are overwrites by no operation that is stored.
  void AddDeletes(const std::vector<Entry>& stored) {
    uint32_t overwrite = 0;
    const auto take = [this, &overwrite](Entry entry) {
      entry.overwrites = overwrite;
      while (overwrite < overwrites_.size() && overwrites_[overwrite].later == entry.id)
        ++overwrite;
      entry.overwrite_count = overwrite - entry.overwrites;
      entries_.push_back(entry);
    };
    entries_.reserve(stored.size() + overwrites_.size());
    for (const Entry& entry : stored) {
      while (overwrite < overwrites_.size() && IsBefore(overwrites_[overwrite].later, entry.id)) {
        take({overwrites_[overwrite].later});
      }
      take(entry);
    }
    while (overwrite < overwrites_.size()) take({overwrites_[overwrite].later});
  }

  // Deques: while they grow, they are not there twice.
  std::deque<TypedText> typed_;
  std::deque<OtherOperation> others_;
  std::vector<Overwrite> overwrites_;  // by who overwrites
  std::vector<Entry> entries_;
  std::vector<Queue> of_actors_;
  DocumentCounts counts_;
  std::vector<OpId> predecessors_;
};

// Makes one change after the other.
class Changes {
 public:
  Changes(const DocumentHead& document, Operations& operations)
      : document_(document), operations_(operations), local_(document.actors.size(), kUnknown) {}

  absl::StatusOr<Chunk> Make(const ChangeRow& row) {
    for (const uint32_t actor : used_) local_[actor] = kUnknown;
    used_.clear();
    const std::span<const Operations::Entry> entries = operations_.Take(row.actor, row.max_op);
    uint32_t next = 0;
    for (const Operations::Entry& entry : entries) {
      if (next != 0 && entry.id.counter != next) return NoHistory("lacks an operation of a change");
      next = entry.id.counter + 1;
      NoteActors(operations_.ViewOf(entry), row.actor);
    }
    if (next != 0 && next != row.max_op + 1)
      return NoHistory("lacks the last operation of a change");
    NumberActors();
    return Write(row, entries);
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  void NoteActors(const OpView& op, uint32_t own) {
    NoteActor(op.object, own);
    NoteActor(op.element, own);
    for (const OpId& id : op.predecessors) NoteActor(id, own);
  }
  void NoteActor(const OpId& id, uint32_t own) {
    if (id.is_none() || id.actor == own || local_[id.actor] != kUnknown) return;
    local_[id.actor] = 0;
    used_.push_back(id.actor);
  }
  // Actors of a document are in the order that those of a change must have.
  void NumberActors() {
    std::sort(used_.begin(), used_.end());
    for (uint32_t i = 0; i < used_.size(); ++i) local_[used_[i]] = i + 1;
  }
  OpId ToLocal(OpId id, uint32_t own) const {
    if (!id.is_none()) id.actor = id.actor == own ? 0 : local_[id.actor];
    return id;
  }

  Chunk Write(const ChangeRow& row, std::span<const Operations::Entry> entries) {
    writer_.Clear();
    for (const Operations::Entry& entry : entries) {
      OpView op = operations_.ViewOf(entry);
      op.object = ToLocal(op.object, row.actor);
      op.element = ToLocal(op.element, row.actor);
      predecessors_.clear();
      for (const OpId& id : op.predecessors) predecessors_.push_back(ToLocal(id, row.actor));
      op.predecessors = predecessors_;
      writer_.Append(op);
    }
    ChangeHead head{.actor = document_.actors[row.actor],
                    .seq = row.seq,
                    .start_op = row.max_op + 1 - static_cast<uint32_t>(entries.size()),
                    .time = row.time,
                    .message = row.message,
                    .columns = writer_.Finish(),
                    .rest = row.rest};
    for (const uint32_t dep : row.deps) head.deps.push_back(hashes_[dep]);
    std::sort(head.deps.begin(), head.deps.end());
    for (const uint32_t actor : used_) head.other_actors.push_back(document_.actors[actor]);
    const std::string_view body = body_.Write(head);
    hashes_.push_back(HashOfChange(body, scratch_, hasher_));
    return {.hash = hashes_.back(), .plain = body};
  }

  const DocumentHead& document_;
  Operations& operations_;
  std::vector<uint32_t> local_;  // how the change in hand numbers an actor
  std::vector<uint32_t> used_;   // those that it numbers
  std::vector<OpId> predecessors_;
  OpWriter writer_;
  ChangeWriter body_;
  std::vector<ChangeHash> hashes_;
  Sha256Hasher hasher_;
  std::string scratch_;
};

}  // namespace

absl::Status ForEachChange(const DocumentHead& document, const HistoryLimits& limits,
                           WorkBudget* budget,
                           absl::FunctionRef<absl::Status(const Chunk&)> visit) {
  Operations operations(document);
  if (absl::Status status = operations.Read(document, limits, budget); !status.ok()) return status;
  DocumentCounts counts = operations.counts();
  Changes changes(document, operations);
  ChangeRowReader rows(document);
  ChangeRow row;
  while (rows.Next(row)) {
    ++counts.changes;
    counts.deps += row.deps.size();
    const size_t extra_bytes = row.message.size() + row.rest.size();
    counts.extra_bytes += extra_bytes;
    if (absl::Status status = CheckCounts(counts, document.stored_bytes, limits); !status.ok()) {
      return status;
    }
    absl::Status taken = TakeWork(budget, 1 + row.deps.size(), extra_bytes);
    if (!taken.ok()) return taken;
    const absl::StatusOr<Chunk> change = changes.Make(row);
    if (!change.ok()) return change.status();
    if (absl::Status status = visit(*change); !status.ok()) return status;
  }
  if (!rows.status().ok()) return rows.status();
  if (!operations.AllTaken()) return NoHistory("has operations of no change");
  return absl::OkStatus();
}

}  // namespace cursorwire::automerge
