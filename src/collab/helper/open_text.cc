#include "collab/helper/open_text.h"

#include <utility>
#include <vector>

#include "crdt/text/text_size.h"

namespace cursorwire::collab {

using crdt::Unit;

absl::StatusOr<bool> OpenText::TakeChanges() {
  std::vector<automerge::TextField::Change> changes;
  if (absl::Status status = field_.TakeChanges(changes); !status.ok()) return status;
  if (changes.size() > kMaxSteps) {
    versions_.OnRewritten(field_.Text());
  } else {
    for (const automerge::TextField::Change& change : changes) {
      versions_.OnReplaced(change.at.code_points, change.deleted.code_points,
                           crdt::Measure(change.inserted).code_points);
    }
  }
  untold_ |= !changes.empty();
  return !changes.empty();
}

void OpenText::NoteGiven(TimePoint now, EditorVersions::Given how) {
  versions_.AddGiven(field_.Text(), now, how);
  untold_ = false;
  differs_ = false;
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
  // Another text than the one that was sent is told at once, also where that is one that was given
  // before: it may be that the editor has just taken that back.
  untold_ = true;
  // And where it is not sure that the editor goes on to have it: a text that is on its way may be
  // put in place of what it has sent.
  differs_ = content != field_.Text() || comparison.is_doubtful;
  told_.reset();
  if (!status.ok()) return status;
  return changed;
}

std::optional<OpenText::TimePoint> OpenText::deadline() const {
  if (!untold_) return std::nullopt;
  return told_ ? *told_ + kChangedInterval : TimePoint();
}

bool OpenText::TakeChanged(TimePoint now) {
  const std::optional<TimePoint> due = deadline();
  if (!due || now < *due) return false;
  untold_ = false;
  if (!std::exchange(differs_, false) && versions_.last() == field_.Text()) return false;
  told_ = now;
  NoteGiven(now, EditorVersions::Given::kUnasked);
  return true;
}

}  // namespace cursorwire::collab
