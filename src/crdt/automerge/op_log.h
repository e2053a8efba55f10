#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_OP_LOG_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_OP_LOG_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/automerge/actor_table.h"
#include "crdt/automerge/operation.h"

namespace cursorwire::automerge {

// All operations of a document, by who made them. Typing and deleting are kept as runs: those of
// one second of a person cost a few bytes. Text is in the ActorTable. Thread-compatible.
class OpLog {
 public:
  // Operations side by side: characters typed one after the other, elements deleted one beside the
  // other, or one operation of any other kind.
  struct Run {
    enum class Kind : uint8_t { kInsertText, kDeleteForward, kDeleteBackward, kOther };

    uint32_t counter = 0;  // of the first
    uint32_t count = 0;
    OpId object{};
    // After which the first character went; or what the first one deleted.
    OpId element{};
    uint32_t at =
        0;  // of characters: where in the text of the actor; of others: in a list of theirs
    Kind kind = Kind::kOther;
    bool ascii = true;  // of characters: all
  };

  explicit OpLog(ActorTable& actors) : actors_(actors) {}

  // The operations of an actor come with ascending counters.
  void Append(OpId id, const OpView& op);

  // Characters typed by `actor`, which are now in its text at `at`, the first of them after
  // `after`.
  void AppendText(OpId id, OpId object, OpId after, std::string_view text);

  // True if `element` was inserted into `object`.
  bool IsElement(OpId object, OpId element) const;
  // True if `id` gave a value to the same key or element as `op` is about.
  bool IsValueOf(OpId id, const OpView& op) const;
  // What made the object `id`: a make action; nothing where it is no object.
  std::optional<Action> MakerOf(OpId id) const;

  // Calls `visit(const Run&, actor)` with the operations from `counter` on, as many as `count`,
  // which must be there.
  template <typename Visit>
  void ForEachRun(uint32_t actor, uint32_t counter, uint32_t count, Visit visit) const {
    for (size_t i = IndexOf(actor, counter); count > 0; ++i) {
      const Run part = PartOf(actor, i, counter, count);
      visit(part, actor);
      counter += part.count;
      count -= part.count;
    }
  }
  // Calls `visit(OpId, const OpView&)` with each operation of a run.
  template <typename Visit>
  void ForEachOp(const Run& run, uint32_t actor, Visit visit) const;

  std::string_view TextOf(const Run& run, uint32_t actor) const;
  OpView Other(const Run& run) const { return ViewOf(others_[run.at]); }

  // Of one actor: what is kept of its operations, beside the text.
  size_t runs(uint32_t actor) const { return actor < runs_.size() ? runs_[actor].size() : 0; }
  // Texts and lists that were made.
  size_t sequences() const { return sequences_; }
  // Of keys and values that are no typed text.
  size_t bytes() const { return bytes_.size(); }

  // What Append() has done since is undone by RollBack(). One actor alone.
  struct Mark {
    uint32_t actor = 0;
    size_t runs = 0;
    std::optional<Run> last{};
    size_t text_bytes = 0;
    size_t others = 0;
    size_t predecessors = 0;
    size_t bytes = 0;
    size_t sequences = 0;
  };
  Mark MarkOf(uint32_t actor);
  void RollBack(const Mark& mark);

 private:
  struct Bytes {
    uint32_t at = 0;
    uint32_t size = 0;
  };
  struct OtherOp {
    OpId object;
    OpId element;
    Bytes map_key;
    Bytes value;
    Bytes mark_name;
    Bytes predecessors;  // in predecessors_
    Action action = Action::kSet;
    ValueType type = ValueType::kNull;
    bool has_map_key = false;
    bool has_mark_name = false;
    bool insert = false;
    bool expand = false;
  };

  const Run* Find(OpId id) const;
  size_t IndexOf(uint32_t actor, uint32_t counter) const;
  Run PartOf(uint32_t actor, size_t index, uint32_t counter, uint32_t count) const;
  std::string_view TextAt(const Run& run, uint32_t actor, uint32_t count) const;
  bool ExtendDeletes(OpId id, const OpView& op);
  void AppendOther(OpId id, const OpView& op);
  OpView ViewOf(const OtherOp& op) const;
  Bytes Keep(std::string_view bytes);
  // The same place as `before`, where that has the same bytes.
  Bytes KeepOnce(std::string_view bytes, const Bytes& before);
  std::string_view ViewOf(const Bytes& bytes) const {
    return std::string_view(bytes_).substr(bytes.at, bytes.size);
  }
  std::vector<Run>& RunsOf(uint32_t actor);

  ActorTable& actors_;
  std::vector<std::vector<Run>> runs_;  // by actor
  std::vector<OtherOp> others_;
  std::vector<OpId> predecessors_;
  std::string bytes_;  // of keys and values
  size_t sequences_ = 0;
};

template <typename Visit>
void OpLog::ForEachOp(const Run& run, uint32_t actor, Visit visit) const {
  OpId id{.counter = run.counter, .actor = actor};
  if (run.kind == Run::Kind::kOther) {
    visit(id, Other(run));
    return;
  }
  OpView op{.object = run.object, .element = run.element};
  if (run.kind == Run::Kind::kInsertText) {
    op.insert = true;
    std::string_view text = TextOf(run, actor);
    for (uint32_t i = 0; i < run.count; ++i) {
      size_t size = 1;
      while (size < text.size() && (static_cast<uint8_t>(text[size]) & 0xc0) == 0x80) ++size;
      op.value = {ValueType::kString, text.substr(0, size)};
      text.remove_prefix(size);
      visit(id, op);
      op.element = id;
      ++id.counter;
    }
    return;
  }
  op.action = Action::kDelete;
  for (uint32_t i = 0; i < run.count; ++i) {
    op.predecessors = {&op.element, 1};
    visit(id, op);
    ++id.counter;
    op.element.counter += run.kind == Run::Kind::kDeleteForward ? 1U : UINT32_MAX;
  }
}

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_OP_LOG_H_
