#ifndef CURSORWIRE_SRC_COLLAB_TEXT_TEXT_FIELD_H_
#define CURSORWIRE_SRC_COLLAB_TEXT_TEXT_FIELD_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/document.h"
#include "crdt/automerge/sequence.h"
#include "crdt/text/text_size.h"

namespace cursorwire::collab {

// The text that a document has under a key of its root. Others may put another text there, a plain
// string, or nothing: what is shown then is that, and the first edit makes a text of it. Source:
// docs/collab/automerge.md, "Texts".
//
// The document must outlive it, and is edited through it alone. Thread-compatible.
class TextField {
 public:
  using Change = automerge::Document::TextChange;

  // Of `keys` the first one that is there counts, or if none is, the first one. They stay the same.
  TextField(automerge::Document& document, std::vector<std::string> keys)
      : document_(document), keys_(std::move(keys)) {}

  const std::string& Text() const;
  const crdt::TextSize& size() const { return size_; }
  // What cursors stay at: empty while there is no text but a string or nothing.
  const automerge::Sequence& sequence() const;

  // The place of this unit in all units, moved back to the start of its character, and to the end
  // of the text.
  crdt::TextSize PlaceAt(crdt::Unit unit, uint32_t place) const;

  // What others have done since the last call: to be called after each change of theirs, before
  // anything else is.
  //   kFailedPrecondition  there is something else than a text now
  absl::Status TakeChanges(std::vector<Change>& changes);

  // Takes `count` units from `at`, which are cut to the text, and puts `text`, made UTF-8, in their
  // place, without a change of the document before Commit().
  //   kFailedPrecondition  there is something else than a text
  //   else                 as of Document
  absl::Status Splice(crdt::Unit unit, uint32_t at, uint32_t count, std::string_view text);
  // Makes one change of all edits since the last one. `time`: seconds since 1970. False: there were
  // none.
  bool Commit(int64_t time);

 private:
  absl::Status Look();
  absl::Status MakeText();

  automerge::Document& document_;
  const std::vector<std::string> keys_;
  const automerge::Sequence nothing_{document_.actors()};
  // None: there is no text object.
  automerge::OpId object_{};
  std::string string_;  // in place of one
  crdt::TextSize size_{};
  // Made when it is asked for.
  mutable std::optional<std::string> text_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_TEXT_TEXT_FIELD_H_
