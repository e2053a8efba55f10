#include "collab/helper/open_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "crdt/text/text_size.h"

namespace cursorwire::collab {

using crdt::Unit;

absl::StatusOr<bool> OpenText::TakeChanges() {
  std::vector<automerge::TextField::Change> changes;
  if (absl::Status status = field_.TakeChanges(changes); !status.ok()) return status;
  const bool whole =
      std::any_of(changes.begin(), changes.end(), [](const auto& change) { return change.whole; });
  if (whole || changes.size() > kMaxSteps) {
    versions_.OnRewritten(field_.Text());
  } else if (changes.size() > kFewSteps) {
    Follow(changes);
  } else {
    for (const automerge::TextField::Change& change : changes) {
      versions_.OnReplaced(change.at.code_points, change.deleted.code_points,
                           crdt::Measure(change.inserted).code_points);
    }
  }
  if (changes.empty()) return false;
  due_ = untold_ ? std::min(due_, next_) : next_;
  untold_ = true;
  return true;
}

// Each text has its places moved once, not for each step.
void OpenText::Follow(std::span<const automerge::TextField::Change> changes) {
  int64_t before = field_.size().code_points;
  for (const automerge::TextField::Change& change : changes) {
    before += int64_t{change.deleted.code_points} - crdt::Measure(change.inserted).code_points;
  }
  crdt::VersionMap map(static_cast<uint32_t>(std::max(before, int64_t{0})));
  for (const automerge::TextField::Change& change : changes) {
    map.OnReplaced(change.at.code_points, change.deleted.code_points,
                   crdt::Measure(change.inserted).code_points);
  }
  versions_.OnChanged(map, changes.size());
}

void OpenText::NoteGiven(TimePoint now, EditorVersions::Given how) {
  versions_.AddGiven(field_.Text(), now, how);
  untold_ = false;
  repaired_ = false;
}

absl::Status OpenText::Splice(uint32_t at, uint32_t count, std::string_view text) {
  absl::Status status = field_.Splice(Unit::kCodePoints, at, count, text);
  if (status.ok() && follows_) versions_.OnReplaced(at, count, crdt::Measure(text).code_points);
  return status;
}

absl::Status OpenText::Do(const EditorEdit& edit) {
  for (auto range = edit.deleted.rbegin(); range != edit.deleted.rend(); ++range) {
    absl::Status status = Splice(range->at, range->count, {});
    if (!status.ok()) return status;
  }
  return Splice(edit.at, 0, edit.inserted);
}

absl::StatusOr<bool> OpenText::Edit(std::string_view content, TimePoint now, int64_t seconds) {
  const EditorVersions::Comparison comparison = versions_.Compare(content, now);
  follows_ = comparison.edits.size() <= kMaxSteps;
  absl::Status status;
  for (const EditorEdit& edit : comparison.edits) {
    status = Do(edit);
    if (!status.ok()) break;
  }
  if (!follows_) versions_.OnRewritten(field_.Text());
  follows_ = true;
  const bool changed = field_.Commit(seconds);
  versions_.AddSent(std::string(content), comparison, field_.Text(), now);
  // Another text than the one that was sent is told at once.
  untold_ = !versions_.WillHave(field_.Text());
  due_ = content == field_.Text() ? now + kRepeatDelay : TimePoint();
  next_ = TimePoint();
  if (!status.ok()) return status;
  return changed;
}

void OpenText::NoteRepaired() {
  untold_ = true;
  repaired_ = true;
  due_ = TimePoint();
}

bool OpenText::TakeChanged(TimePoint now) {
  const std::optional<TimePoint> due = deadline();
  if (!due || now < *due) return false;
  untold_ = false;
  if (!std::exchange(repaired_, false) && versions_.WillHave(field_.Text())) return false;
  next_ = now + kChangedInterval;
  NoteGiven(now, EditorVersions::Given::kUnasked);
  return true;
}

}  // namespace cursorwire::collab
