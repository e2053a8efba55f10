#include "crdt/automerge/text_field.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "base/text.h"

namespace cursorwire::automerge {
namespace {

// In place of an actor, for the characters of a plain string.
constexpr uint32_t kNoActor = std::numeric_limits<uint32_t>::max();

}  // namespace

const Sequence* TextField::sequence() const {
  return object_.is_none() ? nullptr : document_.FindSequence(object_);
}

const std::string& TextField::Text() const {
  if (!text_ || document_.has_text_changes())
    text_ = sequence() == nullptr ? string_ : sequence()->Text();
  return *text_;
}

crdt::TextSize TextField::PlaceAt(crdt::Unit unit, uint32_t place) const {
  return PositionOf(ElementAt(unit, place));
}

OpId TextField::ElementAt(crdt::Unit unit, uint32_t place) const {
  if (place >= size_.In(unit)) return {};
  if (const Sequence* const text = sequence()) return text->ElementAt(unit, place);
  const uint32_t number = crdt::Measure(crdt::PrefixOf(string_, unit, place)).code_points;
  return {.counter = number + 1, .actor = kNoActor};
}

crdt::TextSize TextField::PositionOf(OpId element) const {
  if (element.is_none()) return size_;
  if (const Sequence* const text = sequence()) {
    if (element.actor == kNoActor) return size_;
    return text->PositionOf(element).value_or(size_);
  }
  if (element.actor != kNoActor) return size_;
  return crdt::Measure(crdt::PrefixOf(string_, crdt::Unit::kCodePoints, element.counter - 1));
}

bool TextField::IsLineEnd(OpId element) const {
  if (element.is_none()) return false;
  if (const Sequence* const text = sequence()) {
    const std::string shown = text->ShownAt(element);
    return shown == "\n" || shown == "\r";
  }
  const size_t at = PositionOf(element).bytes;
  return at < string_.size() && (string_[at] == '\n' || string_[at] == '\r');
}

TextAnchor TextField::AnchorAt(crdt::Unit unit, uint32_t place) const {
  const OpId element = ElementAt(unit, place);
  return {.element = uint64_t{element.actor} << 32 | element.counter};
}

uint32_t TextField::PlaceOf(TextAnchor anchor, crdt::Unit unit) const {
  return PositionOf({.counter = static_cast<uint32_t>(anchor.element),
                     .actor = static_cast<uint32_t>(anchor.element >> 32)})
      .In(unit);
}

const std::string& TextField::Key() const {
  for (const std::string& key : keys_) {
    if (document_.Get(key)) return key;
  }
  return keys_.front();
}

absl::Status TextField::Look() {
  std::optional<Document::Value> value = document_.Get(Key());
  object_ = OpId();
  string_.clear();
  if (value && value->action == Action::kMakeText) {
    object_ = value->id;
  } else if (value && value->action == Action::kSet && value->type == ValueType::kString) {
    string_ = std::move(value->bytes);
  } else if (value && !(value->action == Action::kSet && value->type == ValueType::kNull)) {
    return absl::FailedPreconditionError(
        absl::StrCat("not a text document: its member \"", Key(), "\" is something else"));
  }
  document_.Watch(object_);
  return absl::OkStatus();
}

crdt::TextSize TextField::MeasureText() const {
  return sequence() == nullptr ? crdt::Measure(string_) : sequence()->size();
}

absl::Status TextField::TakeChanges(std::vector<Change>& changes) {
  absl::Status status = Note();
  std::vector<Change> noted = std::exchange(noted_, {});
  changes.insert(changes.end(), std::make_move_iterator(noted.begin()),
                 std::make_move_iterator(noted.end()));
  return status;
}

absl::Status TextField::Note() {
  const OpId before = object_;
  const bool was_text = !object_.is_none();
  std::vector<Change> of_text = document_.TakeTextChanges();
  absl::Status status = Look();
  const std::optional<std::string> old_text = std::exchange(text_, std::nullopt);
  if (was_text && object_ == before) {
    noted_.insert(noted_.end(), std::make_move_iterator(of_text.begin()),
                  std::make_move_iterator(of_text.end()));
    size_ = MeasureText();
    return status;
  }
  // Another one: all of it has changed. Nobody has noted what became of it since it was made.
  document_.TakeTextChanges();
  const crdt::TextSize old_size = std::exchange(size_, MeasureText());
  if (old_text && *old_text == Text()) return status;
  if (old_size.bytes != 0 || size_.bytes != 0) {
    noted_.push_back({.deleted = old_size, .inserted = Text(), .whole = true});
  }
  return status;
}

absl::Status TextField::MakeText() {
  const std::string shown = string_;
  const absl::StatusOr<OpId> made = document_.MakeText(Key());
  if (!made.ok()) return made.status();
  object_ = *made;
  document_.Watch(object_);
  string_.clear();
  return document_.Splice(object_, crdt::Unit::kBytes, 0, 0, shown);
}

// An element that others made may have several characters, of which the range takes some.
TextField::Cover TextField::CoverOf(crdt::Unit unit, uint32_t at, uint32_t count) const {
  Cover cover{.at = at, .count = count};
  if (count == 0) return CoverOfPlace(unit, at);
  const Sequence& text = *sequence();
  const OpId first = text.ElementAt(unit, at);
  cover.at = PositionOf(first).In(unit);
  cover.before = crdt::PrefixOf(text.ShownAt(first), unit, at - cover.at);
  uint32_t end = at + count;
  const OpId last = text.ElementAt(unit, end - 1);
  const uint32_t start = PositionOf(last).In(unit);
  const std::string shown = text.ShownAt(last);
  const uint32_t length = crdt::Measure(shown).In(unit);
  if (start + length > end) {
    std::string_view rest = shown;
    rest.remove_prefix(crdt::PrefixOf(shown, unit, end - start - 1).size());
    TakeCharacter(rest);
    cover.after = rest;
    end = start + length;
  }
  cover.count = end - cover.at;
  return cover;
}

// A place within such an element is between its characters; one within a character counts as after
// it.
TextField::Cover TextField::CoverOfPlace(crdt::Unit unit, uint32_t at) const {
  Cover none{.at = at};
  const OpId element = ElementAt(unit, at);
  if (element.is_none()) return none;
  const uint32_t start = PositionOf(element).In(unit);
  if (start >= at) return none;
  const std::string shown = sequence()->ShownAt(element);
  std::string_view rest = shown;
  rest.remove_prefix(crdt::PrefixOf(shown, unit, at - start - 1).size());
  TakeCharacter(rest);
  if (rest.empty()) return none;
  return {.at = start,
          .count = crdt::Measure(shown).In(unit),
          .before = shown.substr(0, shown.size() - rest.size()),
          .after = std::string(rest)};
}

absl::Status TextField::Splice(crdt::Unit unit, uint32_t at, uint32_t count,
                               std::string_view text) {
  if (absl::Status status = document_.NeedHistory(); !status.ok()) return status;
  // The history of a loaded document may have led to another text than it showed.
  if (absl::Status status = Note(); !status.ok()) return status;
  at = std::min(at, size_.In(unit));
  count = std::min(count, size_.In(unit) - at);
  if (count == 0 && text.empty()) return absl::OkStatus();
  if (sequence() == nullptr) {
    if (absl::Status status = MakeText(); !status.ok()) return status;
  }
  text_.reset();
  const Cover cover = CoverOf(unit, at, count);
  const std::string inserted = absl::StrCat(cover.before, ToUtf8(text), cover.after);
  absl::Status status = document_.Splice(object_, unit, cover.at, cover.count, inserted);
  size_ = MeasureText();
  return status;
}

bool TextField::Commit(int64_t time) { return document_.Commit(time).has_value(); }

std::vector<TextEdit> ToTextEdits(std::vector<TextField::Change> changes, crdt::Unit unit) {
  std::vector<TextEdit> edits;
  edits.reserve(changes.size());
  for (TextField::Change& change : changes) {
    edits.push_back({.at = change.at.In(unit),
                     .deleted = change.deleted.In(unit),
                     .inserted = std::move(change.inserted)});
  }
  return edits;
}

}  // namespace cursorwire::automerge
