#ifndef CURSORWIRE_SRC_COLLAB_HELPER_OPEN_TEXT_H_
#define CURSORWIRE_SRC_COLLAB_HELPER_OPEN_TEXT_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collab/helper/editor_versions.h"
#include "collab/repo/document_id.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/text_field.h"

namespace cursorwire::collab {

// The text that an editor has open, and what the editor has of it. No clock: times come in.
// Thread-compatible.
class OpenText {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Between two texts that the editor is told of.
  static constexpr std::chrono::milliseconds kChangedInterval{20};
  // The editor has sent our text, but may read another one afterwards that was on its way: it is
  // given the text again once its user has typed nothing for this long. At once would be too early:
  // it would replace what is typed on until it is read.
  static constexpr std::chrono::milliseconds kRepeatDelay{200};
  // Steps of a change that the places of former texts are moved by one after the other.
  static constexpr size_t kMaxSteps = 1000;
  // More steps are made one map of places first.
  static constexpr size_t kFewSteps = 8;
  static constexpr std::string_view kField = "content";

  OpenText(const DocumentId& id, automerge::Document& document)
      : id_(id), field_(document, {std::string(kField)}) {}

  const DocumentId& id() const { return id_; }
  const automerge::TextField& field() const { return field_; }

  // Takes what others have done. True: the text has changed.
  //   kFailedPrecondition  the document has something else than a text now
  absl::StatusOr<bool> TakeChanges();
  // The editor has said something.
  void NoteAwake(TimePoint now) { versions_.NoteAwake(now); }
  // The editor has been given the text, in an answer.
  void NoteGiven(TimePoint now, EditorVersions::Given how = EditorVersions::Given::kAsked);
  // The editor sends its whole text: what it did itself goes into the document, as one change at
  // most. True: there is a change.
  //   kFailedPrecondition  the document has something else than a text
  //   else                 as of Document::Splice()
  absl::StatusOr<bool> Edit(std::string_view content, TimePoint now, int64_t seconds);
  // What the editor sent was not text as it stands: it is told what was made of it.
  void NoteRepaired();

  // Whether the editor must be given the text now, since it has another one: it then counts as
  // given.
  bool TakeChanged(TimePoint now);
  // The editor may have another text than ours, and has not been told of ours yet.
  bool is_untold() const { return untold_; }
  // When TakeChanged() has to be asked again.
  std::optional<TimePoint> deadline() const {
    return untold_ ? std::optional<TimePoint>(due_) : std::nullopt;
  }

 private:
  absl::Status Splice(uint32_t at, uint32_t count, std::string_view text);
  absl::Status Do(const EditorEdit& edit);
  void Follow(std::span<const automerge::TextField::Change> changes);

  const DocumentId id_;
  automerge::TextField field_;
  EditorVersions versions_;
  bool follows_ = true;  // `versions_` is told of each step
  bool untold_ = false;  // TakeChanged() has something to look at
  bool repaired_ = false;
  TimePoint due_{};   // when it has, if `untold_`
  TimePoint next_{};  // the earliest time for a text that others have changed
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_HELPER_OPEN_TEXT_H_
