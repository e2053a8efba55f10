#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_H_

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/actor_table.h"
#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/change_encoder.h"
#include "crdt/automerge/change_log.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document_codec.h"
#include "crdt/automerge/document_save.h"
#include "crdt/automerge/op_log.h"
#include "crdt/automerge/sequence.h"
#include "crdt/automerge/sequence_loader.h"
#include "crdt/automerge/work_budget.h"
#include "crdt/text/text_size.h"

namespace cursorwire::automerge {

struct DocumentLimits {
  ChunkLimits chunk{};
  OpLimits change{};
  size_t max_changes = 5000000;
  uint64_t max_ops = 50000000;
  size_t max_actors = 1000000;
  // Operations that take no bytes in changes, as far as they are no typing or deleting side by
  // side.
  uint64_t max_free_runs = 2000000;
  // That one change of our own depends on; 2 at least.
  size_t max_merged_heads = 10000;
};

// One document: its changes, and the texts and lists that they lead to. Maps are kept and sent on;
// of the root map, the values of each key are known.
//
// Changes are applied one by one, each after those that it depends on: WaitingChanges keeps those
// that come too early. Thread-compatible. Source: docs/collab/automerge.md, "Documents".
class Document {
 public:
  // One of the values of a key of the root map: those that were set at the same time.
  struct Value {
    OpId id{};
    Action action = Action::kSet;
    ValueType type = ValueType::kNull;
    std::string bytes{};
  };
  // What became of a text by changes of others, step by step.
  struct TextChange {
    crdt::TextSize at{};  // in front of it
    crdt::TextSize deleted{};
    std::string inserted{};
    bool whole = false;  // in place of steps: all of the text, most of which may be as it was
  };

  // `actor`: the bytes of a new random actor, never one that was used before.
  explicit Document(std::string_view actor, const DocumentLimits& limits = {});
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // Ascending.
  const std::vector<ChangeHash>& heads() const {
    return loaded_ ? loaded_->heads : changes_.heads();
  }
  // What they are asked for needs the history.
  const ChangeLog& changes() const { return changes_; }
  // As of ChangeLog, for many changes one by one.
  void DeferHeads() { changes_.DeferHeads(); }
  void SettleHeads() { changes_.SettleHeads(); }
  const ActorTable& actors() const { return actors_; }
  bool Has(const ChangeHash& hash) const { return changes_.Find(hash).has_value(); }

  // Applies a change, whose deps must be there; one that is there already changes nothing.
  // `budget`: of what comes from a peer.
  //   kFailedPrecondition  a dep is missing, or an edit of our own is open
  //   kInvalidArgument     it makes no sense, or contradicts one that is here
  //   kResourceExhausted   over a limit, or over the budget
  absl::Status Apply(const Chunk& chunk, const ChangeHead& head, WorkBudget* budget = nullptr);
  // The chunk of a change that is there.
  std::string ChunkOf(uint32_t change) const;

  // Applies all changes of a document: it must be whole. Where one of them makes no sense, those
  // before it stay. One whose heads are all here is not looked at.
  //   kDataLoss  it is not what its heads say
  //   else       as of Apply(), and of ReadDocument()
  absl::Status ApplyDocument(std::string_view body, WorkBudget* budget = nullptr);
  // Makes the body of a document chunk an empty document. Its texts are there at once; its history,
  // without which nothing can be edited, applied or asked of changes, is made from it by
  // NeedHistory(), which edits and Apply() call. For a file of one's own: whether it is what its
  // heads say, and in what order, shows then.
  //   kFailedPrecondition  this document is not empty
  //   else                 as of ReadDocument()
  absl::Status Load(std::string body);
  // Sequences that FindSequence() returned before are gone then.
  //   kDataLoss  what was loaded is not what its heads say; from now on always this
  absl::Status NeedHistory();

  // A chunk that ApplyDocument() takes, or where such a chunk cannot hold all, the chunks of all
  // changes.
  //   kFailedPrecondition  an edit is open
  absl::StatusOr<std::string> Save() const;

  // The value of a key of the root map that counts: the one with the greatest id.
  std::optional<Value> Get(std::string_view key) const;
  // The sequence of a text or list object; nullptr where there is none.
  const Sequence* FindSequence(OpId object) const;

  // --- Edits of our own. They take effect at once, and become a change by Commit().

  // Puts an empty text in the place of all values of a key; returns the object.
  //   kResourceExhausted  over a limit
  //   kDataLoss           as of NeedHistory()
  absl::StatusOr<OpId> MakeText(std::string_view key);
  // Takes `count` units from `at`, and puts `text`, which is UTF-8, in their place. Characters of
  // which the range takes a part are taken as a whole; without a range, a place within a character
  // counts as after it.
  //   kOutOfRange         that is not all within the text, or counted in lines
  //   kResourceExhausted  over a limit
  absl::Status Splice(OpId object, crdt::Unit unit, uint32_t at, uint32_t count,
                      std::string_view text);
  bool has_open_edit() const { return open_ops_ != 0; }
  // Nothing where no edit is open, else the last change: one as a rule, more where one would be
  // over a limit of changes. `time`: seconds since 1970.
  std::optional<ChangeHash> Commit(int64_t time);

  // From now on, changes of others to this text are noted; TakeTextChanges() returns them. Where
  // they would be much longer than the text, they are one: all of it is replaced.
  void Watch(OpId object) { watched_ = object; }
  bool has_text_changes() const { return !text_changes_.empty() || replaced_; }
  std::vector<TextChange> TakeTextChanges();

 private:
  // Few, as a rule.
  using Indexes = absl::InlinedVector<uint32_t, 2>;
  using Values = absl::btree_map<OpId, Value, IdLess>;

  bool IsNoted(OpId object) const {
    return watched_ == object && !watched_.is_none() && !replaced_;
  }
  void Note(TextChange change);
  void NoteShownAgain(TextChange change);
  // What Load() left for NeedHistory().
  struct Loaded {
    std::string body;
    std::vector<ChangeHash> heads;
  };

  absl::Status MakeHistory();
  absl::Status LoadOperations(const DocumentHead& document);
  bool LoadOperation(OpId id, const OpView& op, SequenceLoader* loader);
  // Everything but what it does to the texts.
  absl::StatusOr<ChangeLog::Info> Admit(const Chunk& chunk, const ChangeHead& head,
                                        WorkBudget* budget);
  absl::StatusOr<ChangeExtra> ExtraOf(const Chunk& chunk, const ChangeHead& head,
                                      const ChangeLog::Info& info,
                                      std::span<const uint32_t> deps) const;
  absl::Status CheckRoom(const Chunk& chunk, const ChangeHead& head) const;
  absl::Status CheckValueBytes(size_t bytes, uint32_t actor) const;
  absl::StatusOr<uint32_t> CheckOrder(const ChangeHead& head, uint32_t actor) const;
  absl::StatusOr<Indexes> FindDeps(const ChangeHead& head) const;
  absl::StatusOr<uint32_t> AppendOps(const ChangeHead& head, std::span<const uint32_t> actors,
                                     size_t body_bytes, WorkBudget* budget);
  absl::StatusOr<uint32_t> AppendOpsOf(OpReader& reader, const ChangeHead& head,
                                       std::span<const uint32_t> actors, size_t body_bytes,
                                       uint64_t& name_bytes);
  uint64_t FreeRunsOf(uint32_t actor, const OpLog::Mark& before, size_t body_bytes) const;
  absl::Status CheckOp(OpId id, const OpView& op) const;

  void Integrate(uint32_t actor, uint32_t counter, uint32_t count);
  void IntegrateRun(const OpLog::Run& run, uint32_t actor);
  void IntegrateOther(OpId id, const OpView& op);
  void IntegrateElement(OpId id, const OpView& op);
  void SetRootKey(OpId id, const OpView& op);
  void NoteInserted(OpId object, OpId element, std::string_view text);

  Sequence* SequenceAt(OpId object);
  absl::Status DeleteElements(OpId object, Sequence& sequence, crdt::Unit unit, uint32_t at,
                              uint32_t count);
  absl::Status CheckEdit(uint64_t ops) const;
  OpId NextOp();
  uint32_t FirstOpenOp() const { return max_op_ - open_ops_ + 1; }
  uint32_t OpsOfNextChange() const;
  uint64_t FreeRunsIn(const ChangeLog::Info& change, size_t body_bytes) const;
  void AddOwn(uint32_t op_count, std::span<const ChangeHash> after, int64_t time);

  const DocumentLimits limits_;
  ActorTable actors_;
  OpLog ops_{actors_};
  ChangeLog changes_;
  Sequences sequences_;
  std::optional<Loaded> loaded_;
  absl::Status history_status_;
  absl::btree_map<std::string, Values> root_;
  uint32_t own_actor_ = 0;
  uint32_t max_op_ = 0;    // of all changes, and of the open edit
  uint32_t open_ops_ = 0;  // of the open edit
  uint64_t op_count_ = 0;
  uint64_t free_runs_ = 0;  // of all changes, those beyond what their bytes allow
  size_t extra_bytes_ = 0;  // of all changes
  OpId watched_{};
  std::vector<TextChange> text_changes_;
  uint64_t noted_bytes_ = 0;                // that they insert, of what is shown again
  std::optional<crdt::TextSize> replaced_;  // in place of them: what the text was before them
  mutable ChangeEncoder encoder_{actors_, ops_, changes_};
  Sha256Hasher hasher_;
  std::string scratch_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_H_
