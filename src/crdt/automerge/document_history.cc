#include "crdt/automerge/document_history.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "base/strings.h"
#include "crdt/automerge/change_codec.h"

namespace cursorwire::automerge {
namespace {

constexpr size_t kSurelyAllowedChanges = 1000;

bool IsBefore(const OpId& a, const OpId& b) {
  return std::tie(a.actor, a.counter) < std::tie(b.actor, b.counter);
}

absl::Status NoHistory(std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("a document ", ToAbsl(why)));
}

// An operation as the document has it, and what it overwrites.
struct Stored {
  OpId id;
  OpView op;  // without predecessors
};

// `later` overwrites the operation `target`, a place in a list.
struct Overwrite {
  OpId later;
  uint32_t target;
};

// All operations of a document, those that delete too, by actor and counter.
class Operations {
 public:
  explicit Operations(const DocumentHead& document) : of_actors_(document.actors.size()) {}

  absl::Status Read(const DocumentHead& document, uint64_t max_ops) {
    OpReader reader(document.operations, document.actors.size(),
                    {.max_rows = std::min(2 * max_ops, MaxOperations(document))});
    OpView op;
    while (reader.Next(op)) {
      if (reader.id().is_none()) return NoHistory("has an operation without an id");
      for (const OpId& later : op.predecessors) {
        overwrites_.push_back({later, static_cast<uint32_t>(stored_.size())});
      }
      op.predecessors = {};
      stored_.push_back({reader.id(), op});
    }
    if (!reader.status().ok()) return reader.status();
    const auto before = [this](const Overwrite& a, const Overwrite& b) {
      if (a.later != b.later) return IsBefore(a.later, b.later);
      const OpId& x = stored_[a.target].id;
      const OpId& y = stored_[b.target].id;
      return std::tie(x.counter, x.actor) < std::tie(y.counter, y.actor);
    };
    std::sort(overwrites_.begin(), overwrites_.end(), before);
    return Sort();
  }

  // The next operation of `actor`, if its counter is at most `most`. The predecessors are valid
  // until the next call.
  const Stored* Next(uint32_t actor, uint32_t most) {
    Queue& queue = of_actors_[actor];
    if (queue.next == queue.entries.size()) return nullptr;
    const Entry& entry = queue.entries[queue.next];
    if (entry.id.counter > most) return nullptr;
    ++queue.next;
    Fill(entry);
    return &next_;
  }

  size_t size() const { return size_; }
  bool AllTaken() const {
    return std::all_of(of_actors_.begin(), of_actors_.end(),
                       [](const Queue& queue) { return queue.next == queue.entries.size(); });
  }

 private:
  struct Entry {
    OpId id;
    std::optional<uint32_t> stored;  // none: it deletes
    uint32_t overwrites = 0;         // the first of its own
    uint32_t overwrite_count = 0;
  };
  struct Queue {
    std::vector<Entry> entries;
    size_t next = 0;
  };

  absl::Status Sort() {
    std::vector<Entry> entries;
    entries.reserve(stored_.size() + overwrites_.size());
    for (uint32_t i = 0; i < stored_.size(); ++i) entries.push_back({stored_[i].id, i});
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return IsBefore(a.id, b.id); });
    const auto same =
        std::adjacent_find(entries.begin(), entries.end(),
                           [](const Entry& a, const Entry& b) { return a.id == b.id; });
    if (same != entries.end()) return NoHistory("has two operations with one id");
    Deal(entries);
    return absl::OkStatus();
  }

  // Puts them to their actors, with the deletes, which are overwrites by no operation that is
  // stored.
  void Deal(const std::vector<Entry>& entries) {
    uint32_t overwrite = 0;
    const auto take = [this, &overwrite](Entry entry) {
      entry.overwrites = overwrite;
      while (overwrite < overwrites_.size() && overwrites_[overwrite].later == entry.id)
        ++overwrite;
      entry.overwrite_count = overwrite - entry.overwrites;
      of_actors_[entry.id.actor].entries.push_back(entry);
      ++size_;
    };
    for (const Entry& entry : entries) {
      while (overwrite < overwrites_.size() && IsBefore(overwrites_[overwrite].later, entry.id)) {
        take({overwrites_[overwrite].later, std::nullopt});
      }
      take(entry);
    }
    while (overwrite < overwrites_.size()) take({overwrites_[overwrite].later, std::nullopt});
  }

  void Fill(const Entry& entry) {
    predecessors_.clear();
    for (uint32_t i = 0; i < entry.overwrite_count; ++i) {
      predecessors_.push_back(stored_[overwrites_[entry.overwrites + i].target].id);
    }
    if (entry.stored) {
      next_ = stored_[*entry.stored];
    } else {
      const Stored& target = stored_[overwrites_[entry.overwrites].target];
      next_ = {entry.id,
               {.object = target.op.object,
                .map_key = target.op.map_key,
                .element = target.op.insert ? target.id : target.op.element,
                .action = Action::kDelete}};
    }
    next_.op.predecessors = predecessors_;
  }

  std::vector<Stored> stored_;
  std::vector<Overwrite> overwrites_;  // by who overwrites
  std::vector<Queue> of_actors_;
  size_t size_ = 0;
  Stored next_;
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
    ops_.clear();
    predecessors_.clear();
    uint32_t next = 0;
    while (const Stored* stored = operations_.Next(row.actor, row.max_op)) {
      if (next != 0 && stored->id.counter != next)
        return NoHistory("lacks an operation of a change");
      next = stored->id.counter + 1;
      Note(stored->op, row.actor);
    }
    if (next != 0 && next != row.max_op + 1)
      return NoHistory("lacks the last operation of a change");
    NumberActors();
    return Write(row);
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  void Note(const OpView& op, uint32_t own) {
    ops_.push_back(op);
    ops_.back().predecessors = {};
    ranges_.resize(ops_.size());
    ranges_[ops_.size() - 1] = {predecessors_.size(), op.predecessors.size()};
    predecessors_.insert(predecessors_.end(), op.predecessors.begin(), op.predecessors.end());
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

  Chunk Write(const ChangeRow& row) {
    writer_.Clear();
    for (size_t i = 0; i < ops_.size(); ++i) {
      OpView& op = ops_[i];
      op.object = ToLocal(op.object, row.actor);
      op.element = ToLocal(op.element, row.actor);
      const auto ids = std::span(predecessors_).subspan(ranges_[i].first, ranges_[i].second);
      for (OpId& id : ids) id = ToLocal(id, row.actor);
      op.predecessors = ids;
      writer_.Append(op);
    }
    ChangeHead head{.actor = document_.actors[row.actor],
                    .seq = row.seq,
                    .start_op = row.max_op + 1 - static_cast<uint32_t>(ops_.size()),
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
  std::vector<OpView> ops_;
  std::vector<std::pair<size_t, size_t>> ranges_;
  std::vector<OpId> predecessors_;
  OpWriter writer_;
  ChangeWriter body_;
  std::vector<ChangeHash> hashes_;
  Sha256Hasher hasher_;
  std::string scratch_;
};

}  // namespace

absl::Status ForEachChange(const DocumentHead& document, const HistoryLimits& limits,
                           absl::FunctionRef<absl::Status(const Chunk&)> visit) {
  Operations operations(document);
  if (absl::Status status = operations.Read(document, limits.max_ops); !status.ok()) return status;
  Changes changes(document, operations);
  ChangeRowReader rows(document);
  ChangeRow row;
  // A change without an operation says nothing; npm's peers begin with one.
  const size_t most = std::min(limits.max_changes, operations.size() + kSurelyAllowedChanges);
  for (size_t count = 0; rows.Next(row); ++count) {
    if (count == most) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a document has more than ", most, " changes"));
    }
    const absl::StatusOr<Chunk> change = changes.Make(row);
    if (!change.ok()) return change.status();
    if (absl::Status status = visit(*change); !status.ok()) return status;
  }
  if (!rows.status().ok()) return rows.status();
  if (!operations.AllTaken()) return NoHistory("has operations of no change");
  return absl::OkStatus();
}

}  // namespace cursorwire::automerge
