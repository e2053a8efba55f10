#include "collab/helper/open_text.h"

#include <utility>
#include <vector>

#include "crdt/text/text_size.h"

namespace cursorwire::collab {

using crdt::Unit;

absl::StatusOr<bool> OpenText::TakeChanges() {
  std::vector<TextField::Change> changes;
  if (absl::Status status = field_.TakeChanges(changes); !status.ok()) return status;
  for (const TextField::Change& change : changes) {
    versions_.OnReplaced(change.at.code_points, change.deleted.code_points,
                         crdt::Measure(change.inserted).code_points);
  }
  may_differ_ |= !changes.empty();
  return !changes.empty();
}

void OpenText::NoteGiven(TimePoint now) {
  versions_.Add(field_.Text(), now);
  may_differ_ = false;
}

absl::Status OpenText::Splice(uint32_t at, uint32_t count, std::string_view text) {
  absl::Status status = field_.Splice(Unit::kCodePoints, at, count, text);
  if (status.ok()) versions_.OnReplaced(at, count, crdt::Measure(text).code_points);
  return status;
}

absl::StatusOr<bool> OpenText::Edit(std::string_view content, TimePoint now, int64_t seconds) {
  absl::Status status;
  for (const EditorEdit& edit : versions_.Compare(content, now)) {
    for (auto range = edit.deleted.rbegin(); range != edit.deleted.rend() && status.ok(); ++range) {
      status = Splice(range->at, range->count, {});
    }
    if (status.ok()) status = Splice(edit.at, 0, edit.inserted);
    if (!status.ok()) break;
  }
  const bool changed = field_.Commit(seconds);
  if (!status.ok()) return status;
  versions_.AddSent(std::string(content), field_.Text(), now);
  may_differ_ = true;
  told_.reset();  // a text that is not the one that was sent is told at once
  return changed;
}

std::optional<OpenText::TimePoint> OpenText::deadline() const {
  if (!may_differ_) return std::nullopt;
  return told_ ? *told_ + kChangedInterval : TimePoint();
}

bool OpenText::TakeChanged(TimePoint now) {
  const std::optional<TimePoint> due = deadline();
  if (!due || now < *due) return false;
  may_differ_ = false;
  if (versions_.newest() == field_.Text()) return false;
  told_ = now;
  NoteGiven(now);
  return true;
}

}  // namespace cursorwire::collab
