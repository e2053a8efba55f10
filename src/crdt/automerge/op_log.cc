#include "crdt/automerge/op_log.h"

#include <algorithm>

#include "crdt/text/text_size.h"

namespace cursorwire::automerge {
namespace {

using crdt::Measure;
using crdt::PrefixOf;
using crdt::Unit;

// Places within a run of characters are found by reading it.
constexpr uint32_t kMaxTextRun = 256;

bool IsPlain(const OpView& op) { return !op.map_key && !op.mark_name && !op.expand; }

// One character, put into a sequence.
bool IsTyping(const OpView& op) {
  const std::string_view text = op.value.bytes;
  return op.insert && op.action == Action::kSet && op.value.type == ValueType::kString &&
         IsPlain(op) && op.predecessors.empty() && !text.empty() &&
         PrefixOf(text, Unit::kCodePoints, 1).size() == text.size();
}

// One element, as it was made.
bool IsDeleting(const OpView& op) {
  return !op.insert && op.action == Action::kDelete && IsPlain(op) &&
         op.value.type == ValueType::kNull && op.value.bytes.empty() &&
         op.predecessors.size() == 1 && op.predecessors[0] == op.element;
}

}  // namespace

std::vector<OpLog::Run>& OpLog::RunsOf(uint32_t actor) {
  if (actor >= runs_.size()) runs_.resize(size_t{actor} + 1);
  return runs_[actor];
}

void OpLog::Append(OpId id, const OpView& op) {
  if (IsTyping(op)) {
    AppendText(id, op.object, op.element, op.value.bytes);
  } else if (!IsDeleting(op)) {
    AppendOther(id, op);
  } else if (!ExtendDeletes(id, op)) {
    RunsOf(id.actor).push_back({.counter = id.counter,
                                .count = 1,
                                .object = op.object,
                                .element = op.element,
                                .kind = Run::Kind::kDeleteForward});
  }
}

void OpLog::AppendText(OpId id, OpId object, OpId after, std::string_view text) {
  std::vector<Run>& runs = RunsOf(id.actor);
  std::string& of_actor = actors_.text(id.actor);
  while (!text.empty()) {
    Run* last = runs.empty() ? nullptr : &runs.back();
    const bool extends = last != nullptr && last->kind == Run::Kind::kInsertText &&
                         last->count < kMaxTextRun && last->object == object &&
                         last->counter + last->count == id.counter &&
                         after == OpId{.counter = id.counter - 1, .actor = id.actor};
    if (!extends) {
      last = &runs.emplace_back(Run{.counter = id.counter,
                                    .object = object,
                                    .element = after,
                                    .at = static_cast<uint32_t>(of_actor.size()),
                                    .kind = Run::Kind::kInsertText});
    }
    const std::string_view part = PrefixOf(text, Unit::kCodePoints, kMaxTextRun - last->count);
    const uint32_t count = Measure(part).code_points;
    last->ascii = last->ascii && count == part.size();
    of_actor += part;
    text.remove_prefix(part.size());
    last->count += count;
    id.counter += count;
    after = {.counter = id.counter - 1, .actor = id.actor};
  }
}

bool OpLog::ExtendDeletes(OpId id, const OpView& op) {
  std::vector<Run>& runs = RunsOf(id.actor);
  if (runs.empty()) return false;
  Run& last = runs.back();
  if (last.kind != Run::Kind::kDeleteForward && last.kind != Run::Kind::kDeleteBackward)
    return false;
  if (last.object != op.object || last.element.actor != op.element.actor ||
      last.counter + last.count != id.counter) {
    return false;
  }
  const bool forward = op.element.counter == last.element.counter + last.count;
  const bool backward = op.element.counter == last.element.counter - last.count;
  if (last.count == 1 && backward) last.kind = Run::Kind::kDeleteBackward;
  if (!(last.kind == Run::Kind::kDeleteForward ? forward : backward)) return false;
  ++last.count;
  return true;
}

OpLog::Bytes OpLog::Keep(std::string_view bytes) {
  const Bytes kept{static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(bytes.size())};
  bytes_ += bytes;
  return kept;
}

OpLog::Bytes OpLog::KeepOnce(std::string_view bytes, const Bytes& before) {
  return ViewOf(before) == bytes ? before : Keep(bytes);
}

void OpLog::AppendOther(OpId id, const OpView& op) {
  const OtherOp before = others_.empty() ? OtherOp() : others_.back();
  OtherOp& other = others_.emplace_back();
  other.object = op.object;
  other.element = op.element;
  other.value = Keep(op.value.bytes);
  other.action = op.action;
  other.type = op.value.type;
  other.has_map_key = op.map_key.has_value();
  other.has_mark_name = op.mark_name.has_value();
  other.insert = op.insert;
  other.expand = op.expand;
  if (op.map_key) other.map_key = KeepOnce(*op.map_key, before.map_key);
  if (op.mark_name) other.mark_name = KeepOnce(*op.mark_name, before.mark_name);
  other.predecessors = {static_cast<uint32_t>(predecessors_.size()),
                        static_cast<uint32_t>(op.predecessors.size())};
  predecessors_.insert(predecessors_.end(), op.predecessors.begin(), op.predecessors.end());
  if (op.action == Action::kMakeText || op.action == Action::kMakeList) ++sequences_;
  RunsOf(id.actor).push_back({.counter = id.counter,
                              .count = 1,
                              .object = op.object,
                              .at = static_cast<uint32_t>(others_.size() - 1),
                              .kind = Run::Kind::kOther});
}

OpView OpLog::ViewOf(const OtherOp& op) const {
  OpView view{
      .object = op.object,
      .element = op.element,
      .insert = op.insert,
      .action = op.action,
      .value = {op.type, ViewOf(op.value)},
      .predecessors = std::span(predecessors_).subspan(op.predecessors.at, op.predecessors.size),
      .expand = op.expand};
  if (op.has_map_key) view.map_key = ViewOf(op.map_key);
  if (op.has_mark_name) view.mark_name = ViewOf(op.mark_name);
  return view;
}

// --- what is there

const OpLog::Run* OpLog::Find(OpId id) const {
  if (id.actor >= runs_.size()) return nullptr;
  const std::vector<Run>& runs = runs_[id.actor];
  // The last ones are asked for most.
  if (runs.empty()) return nullptr;
  if (id.counter - runs.back().counter < runs.back().count) return &runs.back();
  const size_t index = IndexOf(id.actor, id.counter);
  if (index == runs.size() || id.counter - runs[index].counter >= runs[index].count) return nullptr;
  return &runs[index];
}

// Of the last run that does not begin after `counter`; the number of runs where there is none.
size_t OpLog::IndexOf(uint32_t actor, uint32_t counter) const {
  const std::vector<Run>& runs = runs_[actor];
  if (!runs.empty() && counter >= runs.back().counter) return runs.size() - 1;
  const auto after = std::upper_bound(runs.begin(), runs.end(), counter,
                                      [](uint32_t c, const Run& run) { return c < run.counter; });
  return after == runs.begin() ? runs.size() : static_cast<size_t>(after - runs.begin()) - 1;
}

OpLog::Run OpLog::PartOf(uint32_t actor, size_t index, uint32_t counter, uint32_t count) const {
  Run part = runs_[actor][index];
  const uint32_t skip = counter - part.counter;
  if (skip != 0 && part.kind == Run::Kind::kInsertText) {
    part.at += static_cast<uint32_t>(TextAt(part, actor, skip).size());
    part.element = {.counter = counter - 1, .actor = actor};
  } else if (part.kind == Run::Kind::kDeleteForward) {
    part.element.counter += skip;
  } else if (part.kind == Run::Kind::kDeleteBackward) {
    part.element.counter -= skip;
  }
  part.counter = counter;
  part.count = std::min(part.count - skip, count);
  return part;
}

std::string_view OpLog::TextOf(const Run& run, uint32_t actor) const {
  return TextAt(run, actor, run.count);
}

std::string_view OpLog::TextAt(const Run& run, uint32_t actor, uint32_t count) const {
  const std::string_view text = std::string_view(actors_.text(actor)).substr(run.at);
  return run.ascii ? text.substr(0, count) : PrefixOf(text, Unit::kCodePoints, count);
}

bool OpLog::IsElement(OpId object, OpId element) const {
  const Run* const run = Find(element);
  if (run == nullptr || run->object != object) return false;
  if (run->kind == Run::Kind::kOther) return others_[run->at].insert;
  return run->kind == Run::Kind::kInsertText;
}

bool OpLog::IsValueOf(OpId id, const OpView& op) const {
  if (!op.map_key && id == op.element) return IsElement(op.object, id);
  const Run* const run = Find(id);
  if (run == nullptr || run->kind != Run::Kind::kOther || run->object != op.object) return false;
  const OtherOp& other = others_[run->at];
  if (other.action == Action::kDelete || other.insert) return false;
  if (other.has_map_key != op.map_key.has_value()) return false;
  return op.map_key ? ViewOf(other.map_key) == *op.map_key : other.element == op.element;
}

std::optional<Action> OpLog::MakerOf(OpId id) const {
  const Run* const run = Find(id);
  if (run == nullptr || run->kind != Run::Kind::kOther) return std::nullopt;
  switch (others_[run->at].action) {
    case Action::kMakeMap:
    case Action::kMakeList:
    case Action::kMakeText:
    case Action::kMakeTable:
      return others_[run->at].action;
    case Action::kSet:
    case Action::kDelete:
    case Action::kIncrement:
    case Action::kMark:
      break;
  }
  return std::nullopt;
}

// --- taking back

OpLog::Mark OpLog::MarkOf(uint32_t actor) {
  const std::vector<Run>& runs = RunsOf(actor);
  Mark mark{.actor = actor,
            .runs = runs.size(),
            .text_bytes = actors_.text(actor).size(),
            .others = others_.size(),
            .predecessors = predecessors_.size(),
            .bytes = bytes_.size(),
            .sequences = sequences_};
  if (!runs.empty()) mark.last = runs.back();
  return mark;
}

void OpLog::RollBack(const Mark& mark) {
  std::vector<Run>& runs = RunsOf(mark.actor);
  runs.resize(mark.runs);
  if (mark.last) runs.back() = *mark.last;
  actors_.text(mark.actor).resize(mark.text_bytes);
  others_.resize(mark.others);
  predecessors_.resize(mark.predecessors);
  bytes_.resize(mark.bytes);
  sequences_ = mark.sequences;
}

}  // namespace cursorwire::automerge
