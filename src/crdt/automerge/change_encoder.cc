#include "crdt/automerge/change_encoder.h"

#include <algorithm>

namespace cursorwire::automerge {

using RunKind = OpLog::Run::Kind;

std::string_view ChangeEncoder::BodyOf(const ChangeLog::Info& info, uint64_t seq,
                                       std::span<const uint32_t> deps, const ChangeExtra& extra) {
  for (const uint32_t other : others_) local_[other] = kNotNamed;
  others_.clear();
  local_.resize(actors_.size(), kNotNamed);
  if (!EncodeSingle(info)) {
    CollectActors(info);
    ops_writer_.Clear();
    ops_.ForEachRun(info.actor, info.start_op, info.op_count,
                    [this](const OpLog::Run& run, uint32_t actor) { AppendRun(run, actor); });
    head_.columns = ops_writer_.Finish();
  }
  head_.deps.clear();
  for (const uint32_t dep : deps) head_.deps.push_back(changes_.hash(dep));
  std::sort(head_.deps.begin(), head_.deps.end());
  head_.actor = actors_.id(info.actor);
  head_.seq = seq;
  head_.start_op = info.start_op;
  head_.time = info.time;
  head_.message = extra.message;
  head_.other_actors.clear();
  for (const uint32_t other : others_) head_.other_actors.push_back(actors_.id(other));
  head_.rest = extra.rest;
  return writer_.Write(head_);
}

bool ChangeEncoder::EncodeSingle(const ChangeLog::Info& info) {
  if (info.op_count != 1) return false;
  bool single = false;
  ops_.ForEachRun(info.actor, info.start_op, 1, [&](const OpLog::Run& run, uint32_t actor) {
    if (run.kind == RunKind::kOther) return;
    NoteActor(run.object, actor);
    NoteActor(run.element, actor);
    SortActors();
    const OpId object = ToLocal(run.object, actor);
    const OpId element = ToLocal(run.element, actor);
    head_.columns = run.kind == RunKind::kInsertText
                        ? single_.Typing(object, element, ops_.TextOf(run, actor))
                        : single_.Delete(object, element);
    single = true;
  });
  return single;
}

void ChangeEncoder::CollectActors(const ChangeLog::Info& info) {
  ops_.ForEachRun(info.actor, info.start_op, info.op_count,
                  [this](const OpLog::Run& run, uint32_t own) {
                    NoteActor(run.object, own);
                    if (run.kind != RunKind::kOther) return NoteActor(run.element, own);
                    const OpView op = ops_.Other(run);
                    NoteActor(op.element, own);
                    for (const OpId& id : op.predecessors) NoteActor(id, own);
                  });
  SortActors();
}

void ChangeEncoder::SortActors() {
  std::sort(others_.begin(), others_.end(),
            [this](uint32_t a, uint32_t b) { return actors_.id(a) < actors_.id(b); });
  for (uint32_t i = 0; i < others_.size(); ++i) local_[others_[i]] = i + 1;
}

void ChangeEncoder::NoteActor(OpId id, uint32_t own) {
  if (id.is_none() || id.actor == own || local_[id.actor] != kNotNamed) return;
  local_[id.actor] = 0;
  others_.push_back(id.actor);
}

OpId ChangeEncoder::ToLocal(OpId id, uint32_t own) const {
  if (id.is_none() || id.actor == own) return {.counter = id.counter, .actor = 0};
  return {.counter = id.counter, .actor = local_[id.actor]};
}

void ChangeEncoder::AppendRun(const OpLog::Run& run, uint32_t actor) {
  const OpId object = ToLocal(run.object, actor);
  const OpId element = ToLocal(run.element, actor);
  OpWriter& writer = ops_writer_;
  switch (run.kind) {
    case RunKind::kInsertText:
      writer.AppendTyping(object, {.counter = run.counter, .actor = 0}, element,
                          ops_.TextOf(run, actor), run.count);
      return writer.AppendNoPredecessors(run.count);
    case RunKind::kDeleteForward:
      return writer.AppendDeletes(object, element, 1, run.count);
    case RunKind::kDeleteBackward:
      return writer.AppendDeletes(object, element, -1, run.count);
    case RunKind::kOther:
      break;
  }
  OpView op = ops_.Other(run);
  op.object = object;
  op.element = ToLocal(op.element, actor);
  predecessors_.clear();
  for (const OpId& id : op.predecessors) predecessors_.push_back(ToLocal(id, actor));
  op.predecessors = predecessors_;
  writer.Append(op);
}

}  // namespace cursorwire::automerge
