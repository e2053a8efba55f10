#include "collab/text/text_field.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/strings.h"
#include "base/text.h"

namespace cursorwire::collab {
namespace {

using automerge::Action;
using automerge::Document;
using automerge::OpId;
using automerge::ValueType;

}  // namespace

const automerge::Sequence& TextField::sequence() const {
  const automerge::Sequence* const sequence =
      object_.is_none() ? nullptr : document_.FindSequence(object_);
  return sequence == nullptr ? nothing_ : *sequence;
}

const std::string& TextField::Text() const {
  if (!text_) text_ = object_.is_none() ? string_ : sequence().Text();
  return *text_;
}

crdt::TextSize TextField::PlaceAt(crdt::Unit unit, uint32_t place) const {
  if (place >= size_.In(unit)) return size_;
  if (object_.is_none()) return crdt::Measure(crdt::PrefixOf(string_, unit, place));
  return sequence().PositionOf(sequence().ElementAt(unit, place)).value_or(size_);
}

absl::Status TextField::Look() {
  std::string_view key = keys_.front();
  std::optional<Document::Value> value;
  for (const std::string& candidate : keys_) {
    value = document_.Get(candidate);
    if (!value) continue;
    key = candidate;
    break;
  }
  object_ = OpId();
  string_.clear();
  if (value && value->action == Action::kMakeText) {
    object_ = value->id;
  } else if (value && value->action == Action::kSet && value->type == ValueType::kString) {
    string_ = std::move(value->bytes);
  } else if (value && !(value->action == Action::kSet && value->type == ValueType::kNull)) {
    return absl::FailedPreconditionError(
        absl::StrCat("not a text document: its member \"", ToAbsl(key), "\" is something else"));
  }
  document_.Watch(object_);
  return absl::OkStatus();
}

absl::Status TextField::TakeChanges(std::vector<Change>& changes) {
  const OpId before = object_;
  const bool was_text = !object_.is_none();
  std::vector<Change> of_text = document_.TakeTextChanges();
  const absl::Status status = Look();
  const std::optional<std::string> old_text = std::exchange(text_, std::nullopt);
  if (was_text && object_ == before) {
    changes.insert(changes.end(), std::make_move_iterator(of_text.begin()),
                   std::make_move_iterator(of_text.end()));
    size_ = sequence().size();
    return status;
  }
  // Another one: all of it has changed. Nobody has noted what became of it since it was made.
  document_.TakeTextChanges();
  const crdt::TextSize old_size =
      std::exchange(size_, object_.is_none() ? crdt::Measure(string_) : sequence().size());
  if (old_text && *old_text == Text()) return status;
  if (old_size.bytes != 0 || size_.bytes != 0) {
    changes.push_back({.deleted = old_size, .inserted = Text()});
  }
  return status;
}

absl::Status TextField::MakeText() {
  std::string_view key = keys_.front();
  for (const std::string& candidate : keys_) {
    if (!document_.Get(candidate)) continue;
    key = candidate;
    break;
  }
  const std::string shown = string_;
  const absl::StatusOr<OpId> made = document_.MakeText(key);
  if (!made.ok()) return made.status();
  object_ = *made;
  document_.Watch(object_);
  string_.clear();
  return document_.Splice(object_, crdt::Unit::kBytes, 0, 0, shown);
}

absl::Status TextField::Splice(crdt::Unit unit, uint32_t at, uint32_t count,
                               std::string_view text) {
  if (const absl::Status status = Look(); !status.ok()) return status;
  if (const absl::Status status = document_.NeedHistory(); !status.ok()) return status;
  at = std::min(at, size_.In(unit));
  count = std::min(count, size_.In(unit) - at);
  if (count == 0 && text.empty()) return absl::OkStatus();
  if (object_.is_none()) {
    if (const absl::Status status = MakeText(); !status.ok()) return status;
  }
  text_.reset();
  const std::string valid = IsUtf8(text) ? std::string() : ToUtf8(text);
  const absl::Status status =
      document_.Splice(object_, unit, at, count, valid.empty() ? text : valid);
  size_ = sequence().size();
  return status;
}

bool TextField::Commit(int64_t time) { return document_.Commit(time).has_value(); }

}  // namespace cursorwire::collab
