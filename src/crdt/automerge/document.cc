#include "crdt/automerge/document.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "crdt/automerge/document_history.h"

namespace cursorwire::automerge {
namespace {

using crdt::TextSize;
using crdt::Unit;

// Of all text of an actor, and of all other values. Their places are numbers of 32 bits.
constexpr size_t kMaxValueBytes = size_t{2} * 1024 * 1024 * 1024;
// Operations may take no bytes in a change, but do here, where they are no typing or deleting side
// by side: each is a run of its own. A change may have some for itself, and some for its bytes;
// what it has beyond these counts for the document.
constexpr uint64_t kSurelyAllowedRuns = 1000;
constexpr uint64_t kRunsOfChangeByte = 2;
// Of all changes. Their places are numbers of 32 bits.
constexpr size_t kMaxAllDeps = 100000000;
// Of keys and names of marks in a change, each of which is read once for each operation that has
// it, and its bytes again.
constexpr uint64_t kSurelyAllowedNameBytes = 1024 * 1024;
constexpr uint64_t kNameBytesOfByte = 4;
constexpr size_t kMaxSequences = 10000;
// Of the steps to a text that is watched, whatever its length.
constexpr uint64_t kSurelyNotedBytes = 1024 * 1024;
constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();  // an actor
constexpr std::string_view kObjectCharacter = "\xef\xbf\xbc";       // U+FFFC

uint64_t KeyOf(OpId id) { return uint64_t{id.counter} << 32 | id.actor; }

absl::Status Senseless(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("a change ", ToAbsl(what)));
}

// For a change beside so many heads: what is said of a document has them all.
absl::Status TakeHeads(size_t heads, WorkBudget* budget) {
  return budget == nullptr ? absl::OkStatus() : budget->Take(heads / kHeadsOfWork);
}

bool MakesObject(Action action) {
  return action == Action::kMakeMap || action == Action::kMakeList || action == Action::kMakeText ||
         action == Action::kMakeTable;
}

bool IsSequence(Action maker) { return maker == Action::kMakeList || maker == Action::kMakeText; }

HistoryLimits OfHistory(const DocumentLimits& limits) {
  return {.max_changes = limits.max_changes, .max_ops = limits.max_ops};
}

// One ASCII character, put into a sequence.
bool IsAsciiTyping(const OpView& op) {
  return op.insert && !op.map_key && op.action == Action::kSet &&
         op.value.type == ValueType::kString && op.value.bytes.size() == 1;
}

absl::Status NotItsHeads() {
  return absl::DataLossError("the changes of a document do not lead to its heads");
}

// A value of a text's element as it is shown.
std::string_view ShownOf(const OpView& op) {
  if (op.action == Action::kMark) return {};
  if (op.action == Action::kSet && op.value.type == ValueType::kString) return op.value.bytes;
  return kObjectCharacter;
}

}  // namespace

Document::Document(std::string_view actor, const DocumentLimits& limits)
    : limits_(limits), own_actor_(actors_.IndexOf(actor)) {}

// --- changes of others

absl::Status Document::Apply(const Chunk& chunk, const ChangeHead& head, WorkBudget* budget) {
  if (has_open_edit()) return absl::FailedPreconditionError("an edit is open");
  if (absl::Status status = NeedHistory(); !status.ok()) return status;
  if (Has(chunk.hash)) return absl::OkStatus();
  const absl::StatusOr<ChangeLog::Info> info = Admit(chunk, head, budget);
  if (!info.ok()) return info.status();
  Integrate(info->actor, info->start_op, info->op_count);
  return absl::OkStatus();
}

absl::StatusOr<ChangeLog::Info> Document::Admit(const Chunk& chunk, const ChangeHead& head,
                                                WorkBudget* budget) {
  if (absl::Status status = CheckRoom(chunk, head); !status.ok()) return status;
  if (absl::Status status = TakeHeads(changes_.heads().size(), budget); !status.ok()) return status;
  const absl::StatusOr<Indexes> deps = FindDeps(head);
  if (!deps.ok()) return deps.status();
  const size_t known_actors = actors_.size();
  Indexes actors{actors_.IndexOf(head.actor)};
  // Who has no change has made nothing that an operation could be about.
  for (const std::string_view other : head.other_actors) {
    actors.push_back(actors_.Find(other).value_or(kNobody));
  }
  const OpLog::Mark before = ops_.MarkOf(actors[0]);
  absl::StatusOr<uint32_t> op_count = CheckOrder(head, actors[0]);
  if (op_count.ok()) op_count = AppendOps(head, actors, chunk.body().size(), budget);
  const ChangeLog::Info info{.actor = actors[0],
                             .start_op = head.start_op,
                             .op_count = op_count.value_or(0),
                             .time = head.time};
  absl::StatusOr<ChangeExtra> extra = ChangeExtra();
  if (op_count.ok()) {
    extra = ExtraOf(chunk, head, info, *deps);
  } else {
    extra = op_count.status();
  }
  if (!extra.ok()) {
    ops_.RollBack(before);
    if (actors_.size() > known_actors) actors_.DropLast();
    return extra.status();
  }
  free_runs_ += FreeRunsOf(actors[0], before, chunk.body().size());
  extra_bytes_ += extra->bytes();
  changes_.Add(chunk.hash, info, *deps, *std::move(extra));
  op_count_ += *op_count;
  max_op_ = std::max(max_op_, head.start_op - 1 + *op_count);
  return info;
}

absl::StatusOr<ChangeExtra> Document::ExtraOf(const Chunk& chunk, const ChangeHead& head,
                                              const ChangeLog::Info& info,
                                              std::span<const uint32_t> deps) const {
  ChangeExtra extra{.message = std::string(head.message), .rest = std::string(head.rest)};
  if (encoder_.BodyOf(info, head.seq, deps, extra) != chunk.body()) extra.body = chunk.body();
  if (extra.bytes() <= kMaxExtraBytes - extra_bytes_) return extra;
  return absl::ResourceExhaustedError(
      absl::StrCat("the messages of changes, and what is kept as it came, need more than ",
                   kMaxExtraBytes, " bytes"));
}

absl::Status Document::CheckRoom(const Chunk& chunk, const ChangeHead& head) const {
  if (chunk.body().size() > limits_.chunk.max_body_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("a change of ", chunk.body().size(),
                                                     " bytes is over the limit of ",
                                                     limits_.chunk.max_body_bytes));
  }
  if (changes_.size() >= limits_.max_changes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the document has ", changes_.size(), " changes, which is the limit"));
  }
  // Our own is one of them with its first change.
  if (actors_.size() > limits_.max_actors && !actors_.Find(head.actor)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the document has ", actors_.size(), " actors, which is the limit"));
  }
  return absl::OkStatus();
}

absl::Status Document::CheckValueBytes(size_t bytes, uint32_t actor) const {
  const size_t most = std::max(ops_.bytes(), actors_.text(actor).size());
  if (most <= kMaxValueBytes && bytes <= kMaxValueBytes - most) return absl::OkStatus();
  return absl::ResourceExhaustedError("the values of the document need more than 2 GiB");
}

absl::StatusOr<uint32_t> Document::CheckOrder(const ChangeHead& head, uint32_t actor) const {
  const std::span<const uint32_t> earlier = changes_.ChangesOf(actor);
  if (head.seq <= earlier.size()) return Senseless("has a number that its actor has used");
  if (head.seq != earlier.size() + 1) return Senseless("does not follow the last one of its actor");
  if (earlier.empty()) return 0;
  const ChangeLog::Info& last = changes_.info(earlier.back());
  if (head.start_op < uint64_t{last.start_op} + last.op_count) {
    return Senseless("has operations whose ids its actor has used");
  }
  return 0;
}

absl::StatusOr<Document::Indexes> Document::FindDeps(const ChangeHead& head) const {
  if (head.deps.size() > kMaxAllDeps - std::min(changes_.deps(), kMaxAllDeps)) {
    return absl::ResourceExhaustedError(absl::StrCat("the changes of the document have ",
                                                     kMaxAllDeps, " deps, which is the limit"));
  }
  Indexes deps;
  for (const ChangeHash& hash : head.deps) {
    const std::optional<uint32_t> dep = changes_.Find(hash);
    if (!dep) return absl::FailedPreconditionError("a change comes before one that it depends on");
    deps.push_back(*dep);
  }
  return deps;
}

// The number of operations; what was appended before an error is left there.
absl::StatusOr<uint32_t> Document::AppendOps(const ChangeHead& head,
                                             std::span<const uint32_t> actors, size_t body_bytes,
                                             WorkBudget* budget) {
  OpLimits limits = limits_.change;
  const bool within_budget = budget == nullptr || limits.max_rows <= budget->left();
  if (!within_budget) limits.max_rows = budget->left();
  OpReader reader(head.columns, actors.size(), limits);
  uint64_t name_bytes = 0;
  absl::StatusOr<uint32_t> count = AppendOpsOf(reader, head, actors, body_bytes, name_bytes);
  if (budget == nullptr) return count;
  uint64_t work = reader.rows() + name_bytes / kBytesOfWork;
  if (!within_budget && absl::IsResourceExhausted(reader.status())) work = limits.max_rows + 1;
  absl::Status taken = budget->Take(work);
  return taken.ok() ? count : taken;
}

absl::StatusOr<uint32_t> Document::AppendOpsOf(OpReader& reader, const ChangeHead& head,
                                               std::span<const uint32_t> actors, size_t body_bytes,
                                               uint64_t& name_bytes) {
  const OpLog::Mark before = ops_.MarkOf(actors[0]);
  const auto to_own = [actors](OpId& id) {
    if (!id.is_none()) id.actor = actors[id.actor];
  };
  OpView op;
  std::vector<OpId> predecessors;
  uint64_t counter = head.start_op;
  for (; reader.Next(op); ++counter) {
    if (counter > std::numeric_limits<uint32_t>::max()) {
      return Senseless("has operations whose counter is no number of 32 bits");
    }
    if (op_count_ + (counter - head.start_op) >= limits_.max_ops) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the document has ", limits_.max_ops, " operations, which is the limit"));
    }
    to_own(op.object);
    to_own(op.element);
    predecessors.assign(op.predecessors.begin(), op.predecessors.end());
    std::for_each(predecessors.begin(), predecessors.end(), to_own);
    op.predecessors = predecessors;
    const OpId id{.counter = static_cast<uint32_t>(counter), .actor = actors[0]};
    const size_t names = op.map_key.value_or("").size() + op.mark_name.value_or("").size();
    name_bytes += names;
    if (name_bytes > kSurelyAllowedNameBytes + kNameBytesOfByte * body_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a change of ", body_bytes, " bytes has a long key too often"));
    }
    const size_t value_bytes = op.value.bytes.size() + names;
    if (absl::Status status = CheckOp(id, op); !status.ok()) return status;
    if (absl::Status status = CheckValueBytes(value_bytes, actors[0]); !status.ok()) return status;
    ops_.Append(id, op);
    if (free_runs_ + FreeRunsOf(actors[0], before, body_bytes) > limits_.max_free_runs) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "a change of ", body_bytes, " bytes has too many operations that take no bytes"));
    }
  }
  if (!reader.status().ok()) return reader.status();
  return static_cast<uint32_t>(counter - head.start_op);
}

// How many runs of a change, whose first one came at `before`, are beyond what its bytes allow.
uint64_t Document::FreeRunsOf(uint32_t actor, const OpLog::Mark& before, size_t body_bytes) const {
  const uint64_t runs = ops_.runs(actor) - before.runs;
  const uint64_t allowed = kSurelyAllowedRuns + kRunsOfChangeByte * body_bytes;
  return runs - std::min(runs, allowed);
}

// What it refers to must be there, and older.
absl::Status Document::CheckOp(OpId id, const OpView& op) const {
  std::optional<Action> maker = Action::kMakeMap;
  if (!op.object.is_none()) maker = ops_.MakerOf(op.object);
  if (!maker || op.object.counter >= id.counter)
    return Senseless("is about an object that is not there");
  if (IsSequence(*maker) == op.map_key.has_value()) {
    return Senseless(op.map_key ? "has a key for a sequence" : "has an element of a map");
  }
  if (!op.map_key) {
    if (op.element.is_none()
            ? !op.insert
            : op.element.counter >= id.counter || !ops_.IsElement(op.object, op.element)) {
      return Senseless("is about an element that is not there");
    }
  } else if (op.insert) {
    return Senseless("inserts into a map");
  }
  if (IsSequence(op.action) && MakesObject(op.action) && ops_.sequences() >= kMaxSequences) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the document has ", kMaxSequences, " texts and lists, which is the limit"));
  }
  if (op.insert && !op.predecessors.empty()) return Senseless("overwrites what it inserts");
  if (op.insert && (op.action == Action::kDelete || op.action == Action::kIncrement)) {
    return Senseless("inserts nothing");
  }
  for (const OpId& predecessor : op.predecessors) {
    if (predecessor.counter >= id.counter || !ops_.IsValueOf(predecessor, op)) {
      return Senseless("overwrites a value that is not there");
    }
  }
  const bool is_text = op.value.type == ValueType::kString;
  if ((is_text && !IsUtf8(op.value.bytes)) || !IsUtf8(op.map_key.value_or("")) ||
      !IsUtf8(op.mark_name.value_or(""))) {
    return Senseless("has a text that is not UTF-8");
  }
  return absl::OkStatus();
}

std::string Document::ChunkOf(uint32_t change) const {
  const ChangeExtra& extra = changes_.ExtraOf(change);
  const std::string_view body = !extra.body.empty()
                                    ? extra.body
                                    : encoder_.BodyOf(changes_.info(change), changes_.SeqOf(change),
                                                      changes_.DepsOf(change), extra);
  return ChangeChunk(body, changes_.hash(change));
}

absl::Status Document::ApplyDocument(std::string_view body, WorkBudget* budget) {
  if (absl::Status status = NeedHistory(); !status.ok()) return status;
  const absl::StatusOr<std::vector<ChangeHash>> named = ReadDocumentHeads(body);
  if (!named.ok()) return named.status();
  const bool all_here = std::all_of(named->begin(), named->end(),
                                    [this](const ChangeHash& head) { return Has(head); });
  if (all_here && !named->empty()) return absl::OkStatus();
  if (absl::Status status = TakeHeads(changes_.heads().size(), budget); !status.ok()) return status;
  const absl::StatusOr<DocumentHead> document = ReadDocument(body, limits_.chunk, budget);
  if (!document.ok()) return document.status();
  // First whether they are what the heads say, since a change that is applied cannot be taken back.
  absl::flat_hash_set<std::string> heads;
  const HistoryLimits limits = OfHistory(limits_);
  const auto note_head = [this, &heads, budget](const Chunk& change) -> absl::Status {
    const absl::StatusOr<ChangeHead> head = ReadChange(change.body());
    if (!head.ok()) return head.status();
    if (absl::Status status = TakeHeads(changes_.heads().size() + heads.size(), budget);
        !status.ok()) {
      return status;
    }
    for (const ChangeHash& dep : head->deps) heads.erase(std::string(dep.view()));
    heads.insert(std::string(change.hash.view()));
    return absl::OkStatus();
  };
  absl::Status status = ForEachChange(*document, limits, budget, note_head);
  if (!status.ok()) return status;
  const bool all_there = std::all_of(
      document->heads.begin(), document->heads.end(),
      [&heads](const ChangeHash& head) { return heads.contains(std::string(head.view())); });
  if (!all_there || heads.size() != document->heads.size()) return NotItsHeads();
  // A row counts for both times.
  changes_.DeferHeads();
  status = ForEachChange(*document, limits, nullptr, [&](const Chunk& change) -> absl::Status {
    const absl::StatusOr<ChangeHead> head = ReadChange(change.body());
    if (!head.ok()) return head.status();
    return Apply(change, *head);
  });
  changes_.SettleHeads();
  return status;
}

// --- loading

absl::Status Document::Load(std::string body) {
  if (loaded_ || changes_.size() != 0 || has_open_edit()) {
    return absl::FailedPreconditionError("the document is not empty");
  }
  const absl::StatusOr<DocumentHead> document = ReadDocument(body, limits_.chunk);
  if (!document.ok()) return document.status();
  if (document->actors.size() > limits_.max_actors) {
    return absl::ResourceExhaustedError(absl::StrCat("the document has ", document->actors.size(),
                                                     " actors; ", limits_.max_actors,
                                                     " are the limit"));
  }
  if (absl::Status status = LoadOperations(*document); !status.ok()) {
    sequences_.clear();
    root_.clear();
    // What is rare may need the history to be shown, and what is wrong is told better by it.
    return ApplyDocument(body);
  }
  loaded_ = Loaded{.body = std::move(body), .heads = document->heads};
  return absl::OkStatus();
}

// A status that is not ok says nothing but that it cannot be done.
absl::Status Document::LoadOperations(const DocumentHead& document) {
  std::vector<uint32_t> actors;
  actors.reserve(document.actors.size());
  for (const std::string_view actor : document.actors) actors.push_back(actors_.IndexOf(actor));
  const auto to_own = [&actors](OpId& id) {
    if (!id.is_none()) id.actor = actors[id.actor];
  };
  const HistoryLimits limits = OfHistory(limits_);
  OpReader reader(document.operations, actors.size(),
                  {.max_rows = MaxRows(document.stored_bytes, limits)});
  DocumentCounts counts;
  std::optional<SequenceLoader> loader;
  absl::flat_hash_set<uint64_t> seen;  // objects that are sequences
  OpId object;
  OpView op;
  while (reader.Next(op)) {
    OpId id = reader.id();
    to_own(id);
    to_own(op.object);
    to_own(op.element);
    if (op.object != object) {
      if (loader) loader->Finish();
      loader.reset();
      object = op.object;
      Sequence* const sequence = SequenceAt(object);
      // Each object has one place: what it has is put in order when it ends.
      if (sequence != nullptr && !seen.insert(KeyOf(object)).second) return Senseless("");
      if (sequence != nullptr) loader.emplace(*sequence, actors_);
    }
    if (!IsTypedText(op)) {
      ++counts.others;
      counts.name_bytes += NameBytesOf(op);
      if (!CheckCounts(counts, document.stored_bytes, limits).ok()) return Senseless("");
    }
    if (id.is_none() || !LoadOperation(id, op, loader ? &*loader : nullptr)) return Senseless("");
    if (loader && IsAsciiTyping(op)) loader->AddMore(reader.NextTyping());
  }
  if (loader) loader->Finish();
  return reader.status();
}

bool Document::LoadOperation(OpId id, const OpView& op, SequenceLoader* loader) {
  // Whether a counter is there say the operations that follow it.
  if (op.action == Action::kIncrement || op.value.type == ValueType::kCounter) return false;
  const bool visible = op.predecessors.empty();
  if (IsSequence(op.action) && MakesObject(op.action)) {
    if (sequences_.size() >= kMaxSequences) return false;
    sequences_.emplace(KeyOf(id), std::make_unique<Sequence>(actors_));
  }
  if (op.map_key) {
    if (loader != nullptr) return false;
    if (op.object.is_none() && visible) SetRootKey(id, op);
    return true;
  }
  if (loader == nullptr) return false;
  const std::string_view shown = ShownOf(op);
  if (!op.insert) return loader->AddValue(op.element, id, shown, visible);
  const bool is_text = op.action == Action::kSet && op.value.type == ValueType::kString;
  if (!IsUtf8(shown)) return false;
  if (is_text && crdt::Measure(shown).code_points == 1) {
    loader->AddTyped(id, shown, visible);
  } else {
    loader->AddSpecial(id, shown, visible);
  }
  return true;
}

absl::Status Document::NeedHistory() {
  if (!loaded_ || !history_status_.ok()) return history_status_;
  history_status_ = MakeHistory();
  if (history_status_.ok()) loaded_.reset();
  return history_status_;
}

// The texts are made again, too: no hash says in which order a document has its elements.
absl::Status Document::MakeHistory() {
  const absl::StatusOr<DocumentHead> document = ReadDocument(loaded_->body, limits_.chunk);
  if (!document.ok()) return document.status();
  // Nobody else has changed it.
  const OpId watched = std::exchange(watched_, {});
  const Sequence* const watched_text = FindSequence(watched);
  const std::string text = watched_text == nullptr ? "" : watched_text->Text();
  Sequences shown = std::exchange(sequences_, {});
  auto shown_root = std::exchange(root_, {});
  actors_.SetTextsAside();
  const HistoryLimits limits = OfHistory(limits_);
  const auto take = [this](const Chunk& change) -> absl::Status {
    const absl::StatusOr<ChangeHead> head = ReadChange(change.body());
    if (!head.ok()) return head.status();
    const absl::StatusOr<ChangeLog::Info> info = Admit(change, *head, nullptr);
    if (!info.ok()) return info.status();
    Integrate(info->actor, info->start_op, info->op_count);
    return absl::OkStatus();
  };
  changes_.DeferHeads();
  absl::Status status = ForEachChange(*document, limits, nullptr, take);
  changes_.SettleHeads();
  watched_ = watched;
  if (status.ok() && changes_.heads() == loaded_->heads) {
    actors_.DropTextsAside();
    const Sequence* const now = FindSequence(watched);
    if (now != nullptr && now->Text() != text && IsNoted(watched)) {
      Note({.deleted = crdt::Measure(text), .inserted = now->Text(), .whole = true});
    }
    return absl::OkStatus();
  }
  // What was shown stays.
  sequences_ = std::move(shown);
  root_ = std::move(shown_root);
  actors_.RestoreTexts();
  return status.ok() ? NotItsHeads() : absl::DataLossError(status.message());
}

absl::StatusOr<std::string> Document::Save() const {
  if (has_open_edit()) return absl::FailedPreconditionError("an edit is open");
  if (loaded_) {
    Sha256Hasher hasher;
    return DocumentChunk(loaded_->body, hasher);
  }
  if (const std::optional<std::string> body =
          SaveDocument(actors_, ops_, changes_, sequences_, limits_.chunk, OfHistory(limits_))) {
    Sha256Hasher hasher;
    return DocumentChunk(*body, hasher);
  }
  std::string chunks;
  for (uint32_t i = 0; i < changes_.size(); ++i) chunks += ChunkOf(i);
  return chunks;
}

// --- what operations do

void Document::Integrate(uint32_t actor, uint32_t counter, uint32_t count) {
  ops_.ForEachRun(actor, counter, count, [this](const OpLog::Run& run, uint32_t of_actor) {
    IntegrateRun(run, of_actor);
  });
}

void Document::IntegrateRun(const OpLog::Run& run, uint32_t actor) {
  const OpId id{.counter = run.counter, .actor = actor};
  if (run.kind == OpLog::Run::Kind::kOther) return IntegrateOther(id, ops_.Other(run));
  Sequence& sequence = *SequenceAt(run.object);
  if (run.kind == OpLog::Run::Kind::kInsertText) {
    const std::string_view text = ops_.TextOf(run, actor);
    sequence.InsertText(id, run.element, run.at, text);
    return NoteInserted(run.object, id, text);
  }
  OpId first = run.element;
  if (run.kind == OpLog::Run::Kind::kDeleteBackward) first.counter -= run.count - 1;
  Sequence::ElementRun elements{.first = first, .count = run.count};
  while (elements.count > 0) {
    const OpId element = elements.first;
    const TextSize deleted = sequence.HideFirst(elements);
    if (deleted == TextSize() || !IsNoted(run.object)) continue;
    Note({.at = *sequence.PositionOf(element), .deleted = deleted});
  }
}

void Document::IntegrateOther(OpId id, const OpView& op) {
  if (MakesObject(op.action) && IsSequence(op.action)) {
    sequences_.emplace(KeyOf(id), std::make_unique<Sequence>(actors_));
  }
  if (!op.map_key) return IntegrateElement(id, op);
  if (op.object.is_none()) SetRootKey(id, op);
}

void Document::IntegrateElement(OpId id, const OpView& op) {
  Sequence& sequence = *SequenceAt(op.object);
  if (op.insert) {
    sequence.InsertSpecial(id, op.element, ShownOf(op));
    return NoteInserted(op.object, id, ShownOf(op));
  }
  if (op.action == Action::kIncrement) return;
  const TextSize before = sequence.size();
  const std::optional<OpId> shown_before = sequence.ShownValueOf(op.element);
  const bool gives_value = op.action != Action::kDelete;
  // From the greatest on, which is the last of those that are kept.
  std::for_each(op.predecessors.rbegin(), op.predecessors.rend(),
                [&sequence, &op](const OpId& hidden) { sequence.HideValue(op.element, hidden); });
  if (gives_value) sequence.AddValue(op.element, id, ShownOf(op));
  if (!IsNoted(op.object)) return;
  if (sequence.ShownValueOf(op.element) == shown_before) return;
  // What is shown of it now is told as a new text in the place of the old one.
  TextChange change{.inserted = sequence.ShownAt(op.element)};
  change.deleted = before + crdt::Measure(change.inserted) - sequence.size();
  if (change.deleted == TextSize() && change.inserted.empty()) return;
  change.at = *sequence.PositionOf(op.element);
  NoteShownAgain(std::move(change));
}

void Document::SetRootKey(OpId id, const OpView& op) {
  if (op.action == Action::kIncrement) return;
  Values& values =
      root_.try_emplace(std::string(*op.map_key), Values(IdLess{&actors_})).first->second;
  for (const OpId& predecessor : op.predecessors) values.erase(predecessor);
  if (op.action == Action::kDelete) return;
  values.insert_or_assign(id, Value{.id = id,
                                    .action = op.action,
                                    .type = op.value.type,
                                    .bytes = std::string(op.value.bytes)});
}

void Document::NoteInserted(OpId object, OpId element, std::string_view text) {
  if (!IsNoted(object) || text.empty()) return;
  Note({.at = *SequenceAt(object)->PositionOf(element), .inserted = std::string(text)});
}

// What is inserted came in bytes of the change, which are kept anyway.
void Document::Note(TextChange change) { text_changes_.push_back(std::move(change)); }

// A long text that is hidden and shown again in turns is told as often: each time takes its bytes,
// and none of the change.
void Document::NoteShownAgain(TextChange change) {
  noted_bytes_ += change.inserted.size();
  Note(std::move(change));
  const TextSize& size = SequenceAt(watched_)->size();
  if (noted_bytes_ <= kSurelyNotedBytes + 2 * uint64_t{size.bytes}) return;
  TextSize before = size;
  for (const TextChange& noted : text_changes_) before += noted.deleted;
  for (const TextChange& noted : text_changes_) before -= crdt::Measure(noted.inserted);
  replaced_ = before;
  text_changes_ = {};
}

std::vector<Document::TextChange> Document::TakeTextChanges() {
  noted_bytes_ = 0;
  std::vector<TextChange> changes = std::exchange(text_changes_, {});
  const std::optional<TextSize> replaced = std::exchange(replaced_, std::nullopt);
  const Sequence* const text = FindSequence(watched_);
  if (replaced && text != nullptr) {
    changes.push_back({.deleted = *replaced, .inserted = text->Text(), .whole = true});
  }
  return changes;
}

// --- what is there

Sequence* Document::SequenceAt(OpId object) {
  const auto place = sequences_.find(KeyOf(object));
  return place == sequences_.end() ? nullptr : place->second.get();
}

const Sequence* Document::FindSequence(OpId object) const {
  const auto place = sequences_.find(KeyOf(object));
  return place == sequences_.end() ? nullptr : place->second.get();
}

std::optional<Document::Value> Document::Get(std::string_view key) const {
  const auto values = root_.find(std::string(key));
  if (values == root_.end() || values->second.empty()) return std::nullopt;
  return values->second.rbegin()->second;
}

// --- edits of our own

OpId Document::NextOp() {
  ++open_ops_;
  return {.counter = ++max_op_, .actor = own_actor_};
}

// Whether so many operations, at most, can be added to the open edit.
absl::Status Document::CheckEdit(uint64_t ops) const {
  const uint64_t open = open_ops_ + ops;
  if (ops > std::numeric_limits<uint32_t>::max() - max_op_ || op_count_ + open > limits_.max_ops) {
    return absl::ResourceExhaustedError("the document has as many operations as it may have");
  }
  // What Commit() makes of it.
  const uint64_t changes =
      heads().size() / limits_.max_merged_heads + 2 * open / limits_.change.max_rows + 1;
  if (changes_.size() + changes > limits_.max_changes) {
    return absl::ResourceExhaustedError("the document has as many changes as it may have");
  }
  if (actors_.size() > limits_.max_actors && changes_.ChangesOf(own_actor_).empty()) {
    return absl::ResourceExhaustedError("the document has as many actors as it may have");
  }
  return absl::OkStatus();
}

absl::StatusOr<OpId> Document::MakeText(std::string_view key) {
  if (absl::Status status = NeedHistory(); !status.ok()) return status;
  std::vector<OpId> predecessors;
  if (const auto values = root_.find(std::string(key)); values != root_.end()) {
    for (const auto& [id, value] : values->second) predecessors.push_back(id);
  }
  if (absl::Status status = CheckEdit(1); !status.ok()) return status;
  const OpId id = NextOp();
  const OpView op{.map_key = key, .action = Action::kMakeText, .predecessors = predecessors};
  ops_.Append(id, op);
  IntegrateOther(id, op);
  return id;
}

absl::Status Document::Splice(OpId object, Unit unit, uint32_t at, uint32_t count,
                              std::string_view text) {
  if (absl::Status status = NeedHistory(); !status.ok()) return status;
  Sequence* const sequence = SequenceAt(object);
  if (sequence == nullptr) return absl::OutOfRangeError("there is no such text");
  if (unit == Unit::kLines) return absl::OutOfRangeError("the places of an edit are not lines");
  const uint32_t size = sequence->size().In(unit);
  if (at > size || count > size - at) {
    return absl::OutOfRangeError(
        absl::StrCat("an edit from ", at, " to ", uint64_t{at} + count, " of a text of ", size));
  }
  if (absl::Status status = CheckValueBytes(text.size(), own_actor_); !status.ok()) return status;
  if (absl::Status status = CheckEdit(uint64_t{count} + text.size()); !status.ok()) return status;
  OpId after;
  if (at > 0) after = sequence->ElementAt(unit, at - 1);
  if (absl::Status status = DeleteElements(object, *sequence, unit, at, count); !status.ok()) {
    return status;
  }
  if (text.empty()) return absl::OkStatus();
  const OpId first = NextOp();
  const uint32_t further = crdt::Measure(text).code_points - 1;
  max_op_ += further;
  open_ops_ += further;
  const auto start = static_cast<uint32_t>(actors_.text(own_actor_).size());
  ops_.AppendText(first, object, after, text);
  sequence->InsertText(first, after, start, text);
  return absl::OkStatus();
}

absl::Status Document::DeleteElements(OpId object, Sequence& sequence, Unit unit, uint32_t at,
                                      uint32_t count) {
  for (Sequence::ElementRun run : sequence.ElementsOf(unit, at, count)) {
    for (uint32_t i = 0; i < run.count; ++i) {
      const OpId element{.counter = run.first.counter + i, .actor = run.first.actor};
      const std::vector<OpId> values = sequence.VisibleValuesOf(element);
      const OpView op{
          .object = object, .element = element, .action = Action::kDelete, .predecessors = values};
      ops_.Append(NextOp(), op);
      if (values.size() == 1 && values[0] == element) continue;
      std::for_each(values.rbegin(), values.rend(),
                    [&](const OpId& value) { sequence.HideValue(element, value); });
    }
    while (run.count > 0) sequence.HideFirst(run);
  }
  return absl::OkStatus();
}

// What all who read it have to take: the limits of a change are theirs.
std::optional<ChangeHash> Document::Commit(int64_t time) {
  if (!has_open_edit()) return std::nullopt;
  while (heads().size() > limits_.max_merged_heads) {
    AddOwn(0, std::span(heads()).first(limits_.max_merged_heads), time);
  }
  while (has_open_edit()) AddOwn(OpsOfNextChange(), heads(), time);
  return changes_.hash(static_cast<uint32_t>(changes_.size() - 1));
}

// As many of the open edit as one change may have, but for its length in bytes.
uint32_t Document::OpsOfNextChange() const {
  uint64_t rows = 0;
  uint32_t ops = 0;
  bool is_full = false;
  ops_.ForEachRun(own_actor_, FirstOpenOp(), open_ops_, [&](const OpLog::Run& run, uint32_t) {
    if (is_full) return;
    uint64_t rows_of_op = 1;
    if (run.kind == OpLog::Run::Kind::kOther) rows_of_op += ops_.Other(run).predecessors.size();
    if (run.kind == OpLog::Run::Kind::kDeleteForward ||
        run.kind == OpLog::Run::Kind::kDeleteBackward) {
      ++rows_of_op;
    }
    const uint64_t room = limits_.change.max_rows - std::min(rows, limits_.change.max_rows);
    const auto some = static_cast<uint32_t>(std::min<uint64_t>(run.count, room / rows_of_op));
    ops += some;
    rows += some * rows_of_op;
    is_full = some < run.count;
  });
  return std::max(ops, 1U);
}

// As FreeRunsOf(), of a change of our own.
uint64_t Document::FreeRunsIn(const ChangeLog::Info& change, size_t body_bytes) const {
  uint64_t runs = 0;
  ops_.ForEachRun(change.actor, change.start_op, change.op_count,
                  [&runs](const OpLog::Run&, uint32_t) { ++runs; });
  return runs - std::min(runs, kSurelyAllowedRuns + kRunsOfChangeByte * body_bytes);
}

// Makes a change of the first operations of the open edit: of so many, or of fewer, where it would
// be too long, or take too few bytes.
void Document::AddOwn(uint32_t op_count, std::span<const ChangeHash> after, int64_t time) {
  Indexes deps;
  for (const ChangeHash& head : after) deps.push_back(*changes_.Find(head));
  const uint64_t seq = changes_.ChangesOf(own_actor_).size() + 1;
  ChangeLog::Info info{
      .actor = own_actor_, .start_op = FirstOpenOp(), .op_count = op_count, .time = time};
  std::string_view body = encoder_.BodyOf(info, seq, deps, {});
  while (info.op_count > 1 &&
         (body.size() > limits_.chunk.max_body_bytes ||
          free_runs_ + FreeRunsIn(info, body.size()) > limits_.max_free_runs)) {
    info.op_count /= 2;
    body = encoder_.BodyOf(info, seq, deps, {});
  }
  free_runs_ += FreeRunsIn(info, body.size());
  changes_.Add(HashOfChange(body, scratch_, hasher_), info, deps, {});
  op_count_ += info.op_count;
  open_ops_ -= info.op_count;
}

}  // namespace cursorwire::automerge
