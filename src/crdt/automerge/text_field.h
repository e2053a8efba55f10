#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_TEXT_FIELD_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_TEXT_FIELD_H_

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
#include "cursorwire/crdt/text_edit.h"

namespace cursorwire::automerge {

// The text that a document has under a key of its root. Others may put another text there, a plain
// string, or nothing: what is shown then is that, and the first edit makes a text of it. Source:
// docs/collab/automerge.md, "Texts".
//
// The document must outlive it, and is edited through it alone. Thread-compatible.
class TextField {
 public:
  using Change = Document::TextChange;

  // Of `keys` the first one that is there counts, or if none is, the first one. They stay the same.
  TextField(Document& document, std::vector<std::string> keys)
      : document_(document), keys_(std::move(keys)) {}

  const std::string& Text() const;
  const crdt::TextSize& size() const { return size_; }

  // The place of this unit in all units, moved back to the start of its element, and to the end of
  // the text.
  crdt::TextSize PlaceAt(crdt::Unit unit, uint32_t place) const;
  // The element with that unit, which goes on to name its place while the text changes; none at the
  // end. In a plain string its elements are its characters, by their number, until it is another.
  OpId ElementAt(crdt::Unit unit, uint32_t place) const;
  // Where it is, or would be if it were visible; the end of the text for none, and for one that is
  // not known any more.
  crdt::TextSize PositionOf(OpId element) const;
  bool IsLineEnd(OpId element) const;
  // The same as a public value.
  TextAnchor AnchorAt(crdt::Unit unit, uint32_t place) const;
  uint32_t PlaceOf(TextAnchor anchor, crdt::Unit unit) const;

  // What others have done since the last call: to be called after each change of theirs, before
  // anything else is.
  //   kFailedPrecondition  there is something else than a text now
  absl::Status TakeChanges(std::vector<Change>& changes);

  // Takes `count` units from `at`, which are cut to the text, and puts `text`, made UTF-8, in their
  // place. Characters of which the range takes a part are taken as a whole. There is no change of
  // the document before Commit().
  // Changes of others that nobody has taken yet are part of the text already, and come out of the
  // next TakeChanges(): each of them was there before this edit.
  //   kFailedPrecondition  there is something else than a text
  //   else                 as of Document
  absl::Status Splice(crdt::Unit unit, uint32_t at, uint32_t count, std::string_view text);
  // Makes one change of all edits since the last one. `time`: seconds since 1970. False: there were
  // none.
  bool Commit(int64_t time);

 private:
  // What a range covers: whole elements, with what of their characters is outside of it.
  struct Cover {
    uint32_t at = 0;
    uint32_t count = 0;
    std::string before{};
    std::string after{};
  };

  const std::string& Key() const;
  absl::Status Look();
  absl::Status Note();
  absl::Status MakeText();
  crdt::TextSize MeasureText() const;
  const Sequence* sequence() const;
  Cover CoverOf(crdt::Unit unit, uint32_t at, uint32_t count) const;
  Cover CoverOfPlace(crdt::Unit unit, uint32_t at) const;

  Document& document_;
  const std::vector<std::string> keys_;
  // None: there is no text object.
  OpId object_{};
  std::string string_;  // in place of one
  crdt::TextSize size_{};
  std::vector<Change> noted_;  // what TakeChanges() has not returned yet
  // Made when it is asked for.
  mutable std::optional<std::string> text_;
};

std::vector<TextEdit> ToTextEdits(std::vector<TextField::Change> changes, crdt::Unit unit);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_TEXT_FIELD_H_
