#include "crdt/automerge/document_save.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace cursorwire::automerge {
namespace {

// What was overwritten, and by what.
struct Replacement {
  OpId target;
  OpId later;
};

// An operation that is no typed character, and none that deletes.
struct Other {
  OpId id;
  OpView op;
  OpId about;  // the element that it makes or changes; none in a map
};

// Actors are numbered in the order of their ids, so this is the order of ids.
auto OrderOf(const OpId& id) { return std::tie(id.counter, id.actor); }
// In this one, what was typed in one go stands together.
auto PlaceOf(const OpId& id) { return std::tie(id.actor, id.counter); }
bool IsLess(const OpId& a, const OpId& b) { return OrderOf(a) < OrderOf(b); }

class Saver {
 public:
  Saver(const ActorTable& actors, const OpLog& ops, const ChangeLog& changes,
        const Sequences& sequences)
      : actors_(actors), ops_(ops), changes_(changes), sequences_(sequences) {}

  std::optional<std::string> Save(const ChunkLimits& chunk, const HistoryLimits& history) {
    NumberActors();
    if (!CollectOperations()) return std::nullopt;
    SortOperations();
    WriteObjects();
    ChangeRowWriter rows;
    for (uint32_t i = 0; i < changes_.size(); ++i) WriteChange(i, rows);
    DocumentHead document{.heads = changes_.heads()};
    for (const uint32_t actor : by_number_) document.actors.push_back(actors_.id(actor));
    document.changes = rows.Finish();
    document.operations = writer_.Finish();
    std::vector<uint32_t> head_indexes;
    for (const ChangeHash& head : changes_.heads()) head_indexes.push_back(*changes_.Find(head));
    std::string body = WriteDocument(document, head_indexes);
    const bool fits = body.size() <= chunk.max_body_bytes &&
                      BytesOfColumns(document) <= chunk.max_inflated_bytes &&
                      CheckCounts(counts_, body.size(), history).ok();
    return fits ? std::optional(std::move(body)) : std::nullopt;
  }

 private:
  // Those that have changes: no other is named by an operation.
  void NumberActors() {
    for (uint32_t actor = 0; actor < actors_.size(); ++actor) {
      if (!changes_.ChangesOf(actor).empty()) by_number_.push_back(actor);
    }
    std::sort(by_number_.begin(), by_number_.end(),
              [this](uint32_t a, uint32_t b) { return actors_.id(a) < actors_.id(b); });
    numbers_.resize(actors_.size());
    for (uint32_t i = 0; i < by_number_.size(); ++i) numbers_[by_number_[i]] = i;
  }
  OpId Numbered(OpId id) const {
    if (!id.is_none()) id.actor = numbers_[id.actor];
    return id;
  }

  ChangeRow RowOf(uint32_t change) const {
    const ChangeLog::Info& info = changes_.info(change);
    const ChangeExtra& extra = changes_.ExtraOf(change);
    const std::span<const uint32_t> deps = changes_.DepsOf(change);
    return {.actor = numbers_[info.actor],
            .seq = changes_.SeqOf(change),
            .max_op = info.start_op + info.op_count - 1,
            .time = info.time,
            .message = extra.message,
            .rest = extra.rest,
            .deps = {deps.begin(), deps.end()}};
  }

  void WriteChange(uint32_t change, ChangeRowWriter& rows) {
    const ChangeRow row = RowOf(change);
    ++counts_.changes;
    counts_.deps += row.deps.size();
    counts_.extra_bytes += row.message.size() + row.rest.size();
    rows.Append(row);
  }

  static size_t BytesOfColumns(const DocumentHead& document) {
    size_t bytes = 0;
    for (const Columns* columns : {&document.changes, &document.operations}) {
      for (const Column& column : *columns) bytes += column.bytes.size();
    }
    return bytes;
  }

  bool CollectOperations() {
    for (uint32_t i = 0; i < changes_.size(); ++i) {
      if (!changes_.ExtraOf(i).body.empty()) return false;
      const ChangeLog::Info& info = changes_.info(i);
      bool can_be_saved = true;
      ops_.ForEachRun(info.actor, info.start_op, info.op_count,
                      [&](const OpLog::Run& run, uint32_t actor) {
                        can_be_saved = Collect(run, actor) && can_be_saved;
                      });
      if (!can_be_saved) return false;
    }
    return true;
  }

  // Whether all of it comes out of a document again: that sorts what was overwritten, and has no
  // more of a delete than where it was.
  bool IsKept(const OpView& op) const {
    const auto is_descending = [this](const OpId& a, const OpId& b) {
      return !IsLess(Numbered(a), Numbered(b));
    };
    if (std::adjacent_find(op.predecessors.begin(), op.predecessors.end(), is_descending) !=
        op.predecessors.end()) {
      return false;
    }
    if (op.action != Action::kDelete) return true;
    return !op.predecessors.empty() && !op.insert && !op.expand && !op.mark_name &&
           op.value.type == ValueType::kNull && op.value.bytes.empty();
  }

  // False for what a document cannot hold.
  bool Collect(const OpLog::Run& run, uint32_t actor) {
    if (run.kind == OpLog::Run::Kind::kInsertText) return true;
    bool can_be_saved = true;
    ops_.ForEachOp(run, actor, [&](OpId id, const OpView& op) {
      id = Numbered(id);
      for (const OpId& target : op.predecessors) replacements_.push_back({Numbered(target), id});
      can_be_saved = can_be_saved && IsKept(op);
      if (op.action == Action::kDelete) return;
      Other other{.id = id, .op = op, .about = {}};
      other.op.object = Numbered(op.object);
      other.op.element = Numbered(op.element);
      if (!op.map_key) other.about = op.insert ? id : other.op.element;
      others_.push_back(other);
    });
    return can_be_saved;
  }

  void SortOperations() {
    std::sort(replacements_.begin(), replacements_.end(),
              [](const Replacement& a, const Replacement& b) {
                return std::tuple(PlaceOf(a.target), OrderOf(a.later)) <
                       std::tuple(PlaceOf(b.target), OrderOf(b.later));
              });
    // In a map that is their order in a document.
    const auto key = [](const Other& other) {
      return std::tuple(OrderOf(other.op.object), other.op.map_key, PlaceOf(other.about),
                        OrderOf(other.id));
    };
    std::sort(others_.begin(), others_.end(),
              [&key](const Other& a, const Other& b) { return key(a) < key(b); });
  }

  // By the ids of the objects, the root first; sequences as they stand, all others by key.
  void WriteObjects() {
    std::vector<std::pair<OpId, const Sequence*>> sequences;
    for (const auto& [key, sequence] : sequences_) {
      const OpId id{.counter = static_cast<uint32_t>(key >> 32),
                    .actor = static_cast<uint32_t>(key)};
      sequences.emplace_back(Numbered(id), sequence.get());
    }
    std::sort(sequences.begin(), sequences.end(),
              [](const auto& a, const auto& b) { return IsLess(a.first, b.first); });
    auto other = others_.begin();
    for (const auto& [object, sequence] : sequences) {
      while (other != others_.end() && IsLess(other->op.object, object)) Write(*other++);
      const auto first = other;
      while (other != others_.end() && other->op.object == object) ++other;
      WriteSequence(object, *sequence, std::span(first, other));
    }
    while (other != others_.end()) Write(*other++);
  }

  void WriteSequence(OpId object, const Sequence& sequence, std::span<const Other> others) {
    sequence.ForEachPiece([this, object, others](const Sequence::Piece& piece) {
      const OpId first{.counter = piece.counter, .actor = numbers_[piece.actor]};
      auto other = std::lower_bound(
          others.begin(), others.end(), first,
          [](const Other& a, const OpId& b) { return PlaceOf(a.about) < PlaceOf(b); });
      const auto is_about = [&other, others, first](uint32_t from, uint32_t to) {
        return other != others.end() && other->about.actor == first.actor &&
               other->about.counter >= from && other->about.counter < to;
      };
      const uint32_t end = piece.counter + piece.length;
      if (!is_about(piece.counter, end))
        return WriteTyping(object, piece.actor, piece.counter, end);
      for (uint32_t counter = piece.counter; counter < end; ++counter) {
        // What made the element stands first, what was set there later after it.
        const bool typed = !is_about(counter, counter + 1) || !other->op.insert;
        if (typed) WriteTyping(object, piece.actor, counter, counter + 1);
        for (; is_about(counter, counter + 1); ++other) Write(*other);
      }
    });
  }

  void WriteTyping(OpId object, uint32_t actor, uint32_t counter, uint32_t end) {
    ops_.ForEachRun(actor, counter, end - counter,
                    [this, object](const OpLog::Run& run, uint32_t of_run) {
                      const OpId first = Numbered({.counter = run.counter, .actor = of_run});
                      writer_.AppendTyping(object, first, Numbered(run.element),
                                           ops_.TextOf(run, of_run), run.count);
                      WriteRest(first, run.count);
                    });
  }

  void Write(const Other& other) {
    ++counts_.others;
    counts_.name_bytes += NameBytesOf(other.op);
    writer_.AppendWithoutPredecessors(other.op);
    WriteRest(other.id, 1);
  }

  // Ids and successors.
  void WriteRest(OpId first, uint32_t count) {
    writer_.AppendIds(first, count);
    counts_.rows += count;
    auto replacement = std::lower_bound(
        replacements_.begin(), replacements_.end(), first,
        [](const Replacement& a, const OpId& b) { return PlaceOf(a.target) < PlaceOf(b); });
    for (const uint32_t end = first.counter + count; first.counter != end;) {
      const bool any =
          replacement != replacements_.end() && replacement->target.actor == first.actor;
      const uint32_t next = any ? std::min(replacement->target.counter, end) : end;
      if (next != first.counter) {
        writer_.AppendNoPredecessors(next - first.counter);
        first.counter = next;
        continue;
      }
      later_.clear();
      for (; replacement != replacements_.end() && replacement->target == first; ++replacement) {
        later_.push_back(replacement->later);
      }
      writer_.AppendPredecessors(later_);
      counts_.rows += later_.size();
      ++first.counter;
    }
  }

  const ActorTable& actors_;
  const OpLog& ops_;
  const ChangeLog& changes_;
  const Sequences& sequences_;
  std::vector<uint32_t> numbers_;    // of actors in the document
  std::vector<uint32_t> by_number_;  // and back
  std::vector<Replacement> replacements_;
  std::vector<Other> others_;
  std::vector<OpId> later_;
  DocumentCounts counts_;
  OpWriter writer_{OpWriter::Form::kDocument};
};

}  // namespace

std::optional<std::string> SaveDocument(const ActorTable& actors, const OpLog& ops,
                                        const ChangeLog& changes, const Sequences& sequences,
                                        const ChunkLimits& chunk, const HistoryLimits& history) {
  return Saver(actors, ops, changes, sequences).Save(chunk, history);
}

}  // namespace cursorwire::automerge
