#include "crdt/automerge/sequence.h"

#include <algorithm>
#include <utility>

namespace cursorwire::automerge {
namespace {

using crdt::Measure;
using crdt::PrefixOf;
using crdt::TextSize;
using crdt::Unit;

constexpr unsigned kCounterBits = 32;

uint64_t KeyOf(uint32_t actor, uint32_t counter) {
  return uint64_t{actor} << kCounterBits | counter;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return static_cast<uint8_t>(byte) < 0x80; });
}

}  // namespace

Sequence::Sequence(const ActorTable& actors) : actors_(actors) {}

std::string Sequence::Text() const {
  std::string text;
  text.reserve(size().bytes);
  ForEachPiece([this, &text](const Piece& piece) {
    if (!piece.visible) return;
    if (piece.kind != Piece::Kind::kSpecial) {
      text += TextOf(piece, piece.length);
    } else if (const Values::value_type* const shown = ShownOf(piece)) {
      text += shown->second.text;
    }
  });
  return text;
}

std::string_view Sequence::TextOf(const Piece& piece, uint32_t elements) const {
  const std::string_view text = std::string_view(actors_.text(piece.actor)).substr(piece.start);
  if (piece.kind == Piece::Kind::kAscii) return text.substr(0, elements);
  return PrefixOf(text, Unit::kCodePoints, elements);
}

const Sequence::Values::value_type* Sequence::ShownOf(const Piece& special) const {
  const Values& values = specials_[special.start];
  return values.empty() ? nullptr : &*values.rbegin();
}

uint32_t Sequence::AddSpecialValues() {
  specials_.emplace_back(IdLess{&actors_});
  return static_cast<uint32_t>(specials_.size() - 1);
}

TextSize Sequence::SizeOf(const Piece& piece) const {
  if (!piece.visible) return {};
  if (piece.kind == Piece::Kind::kSpecial) {
    const Values::value_type* const shown = ShownOf(piece);
    return shown == nullptr ? TextSize() : shown->second.size;
  }
  const std::string_view text = TextOf(piece, piece.length);
  if (piece.kind == Piece::Kind::kText) return Measure(text);
  const auto lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
  return {
      .bytes = piece.length, .utf16 = piece.length, .code_points = piece.length, .lines = lines};
}

uint32_t Sequence::WidthOf(const Piece& piece, Unit unit) const {
  if (!piece.visible) return 0;
  if (piece.kind == Piece::Kind::kAscii && unit != Unit::kLines) return piece.length;
  if (piece.kind == Piece::Kind::kText && unit == Unit::kCodePoints) return piece.length;
  return SizeOf(piece).In(unit);
}

// How many elements of a piece have ended after so many units.
uint32_t Sequence::ElementsIn(const Piece& piece, Unit unit, uint32_t units) const {
  if (piece.kind == Piece::Kind::kSpecial) return 0;
  if (piece.kind == Piece::Kind::kAscii && unit != Unit::kLines) return units;
  return Measure(PrefixOf(TextOf(piece, piece.length), unit, units)).code_points;
}

// --- where elements are

std::optional<Sequence::Located> Sequence::LocateIn(Tree::Leaf* leaf, OpId element) {
  for (size_t i = 0; i < leaf->count; ++i) {
    const Piece& piece = leaf->pieces[i];
    const uint32_t offset = element.counter - piece.counter;  // wraps where it is less
    if (offset < piece.length && piece.actor == element.actor) return Located{{leaf, i}, offset};
  }
  return std::nullopt;
}

std::optional<Sequence::Located> Sequence::Locate(OpId element) const {
  if (last_leaf_ != nullptr) {
    if (const std::optional<Located> here = LocateIn(last_leaf_, element)) return here;
  }
  auto after = leaves_.upper_bound(KeyOf(element.actor, element.counter));
  if (after == leaves_.begin()) return std::nullopt;
  const std::optional<Located> found = LocateIn((--after)->second, element);
  if (found) last_leaf_ = found->place.leaf;
  return found;
}

// Elements come with greater counters than all those of their actor that are here. So they are
// where the last key of their actor says, or need one of their own.
void Sequence::OnNew(const Piece& piece, Tree::Leaf* leaf) {
  last_leaf_ = leaf;
  const uint64_t key = KeyOf(piece.actor, piece.counter);
  auto after = leaves_.upper_bound(key);
  if (after != leaves_.begin()) {
    auto& [before, of_before] = *std::prev(after);
    if (before >> kCounterBits == piece.actor && of_before == leaf) return;
    if (before == key) {  // of what would have followed a piece that was moved
      of_before = leaf;
      return;
    }
  }
  leaves_.emplace_hint(after, key, leaf);
}

void Sequence::OnMoved(const Piece& piece, Tree::Leaf* leaf) {
  const uint64_t first = KeyOf(piece.actor, piece.counter);
  const uint64_t end = first + piece.length;
  // What follows stays where it is.
  auto after = leaves_.lower_bound(end);
  Tree::Leaf* const of_rest = std::prev(after)->second;
  if ((after == leaves_.end() || after->first != end) && of_rest != leaf) {
    after = leaves_.emplace_hint(after, end, of_rest);
  }
  leaves_.erase(leaves_.lower_bound(first), leaves_.lower_bound(end));
  leaves_[first] = leaf;
}

std::optional<TextSize> Sequence::PositionOf(OpId element) const {
  const std::optional<Located> located = Locate(element);
  if (!located) return std::nullopt;
  TextSize position = tree_.SizeBefore(located->place);
  const Piece& piece = located->place.leaf->pieces[located->place.index];
  if (piece.visible && located->offset != 0) position += Measure(TextOf(piece, located->offset));
  return position;
}

OpId Sequence::ElementAt(Unit unit, uint32_t units) const {
  if (units >= size().In(unit)) return {};
  const auto [place, rest] = tree_.Find(unit, units);
  const Piece& piece = place.leaf->pieces[place.index];
  last_leaf_ = place.leaf;
  return {.counter = piece.counter + ElementsIn(piece, unit, rest), .actor = piece.actor};
}

// --- insertions

Sequence::Place Sequence::PlaceOf(OpId id, OpId after) {
  if (after.is_none()) return SkipGreater({tree_.first(), 0}, id);
  const std::optional<Located> located = Locate(after);
  Place place = located->place;
  const Piece& piece = place.leaf->pieces[place.index];
  if (located->offset + 1U < piece.length) {
    if (actors_.IsLess({.counter = after.counter + 1, .actor = after.actor}, id)) {
      return Split(place, located->offset + 1);
    }
  }
  ++place.index;
  return SkipGreater(place, id);
}

// The first place from here on in front of an element with an id less than `id`.
Sequence::Place Sequence::SkipGreater(Place place, OpId id) const {
  const auto is_less = [this, id](const Piece& piece) {
    return actors_.IsLess({.counter = piece.counter, .actor = piece.actor}, id);
  };
  if (place.index == place.leaf->count) {
    // The end of a leaf rather than the start of the next one: there it may join a piece.
    Tree::Leaf* const next = place.leaf->next;
    if (next == nullptr || is_less(next->pieces[0])) return place;
    place = {next, 0};
  }
  for (;;) {
    for (; place.index < place.leaf->count; ++place.index) {
      if (is_less(place.leaf->pieces[place.index])) return place;
    }
    place = {tree_.NextLeafBelow(place.leaf, id), 0};
    if (place.leaf == nullptr) return {tree_.last(), tree_.last()->count};
  }
}

Sequence::Place Sequence::Split(const Place& place, uint32_t offset) {
  Piece& left = place.leaf->pieces[place.index];
  Piece right = left;
  right.counter += offset;
  right.length = static_cast<uint16_t>(right.length - offset);
  right.start += static_cast<uint32_t>(TextOf(left, offset).size());
  const TextSize size = SizeOf(right);
  left.length = static_cast<uint16_t>(offset);
  tree_.Changed(*place.leaf, TextSize() - size);
  const Place put = tree_.Insert({place.leaf, place.index + 1}, right);
  if (put.leaf != place.leaf) OnMoved(right, put.leaf);
  return put;
}

bool Sequence::CanJoin(const Piece& left, const Piece& right) const {
  if (left.actor != right.actor || left.counter + left.length != right.counter ||
      left.visible != right.visible || left.kind == Piece::Kind::kSpecial ||
      right.kind == Piece::Kind::kSpecial) {
    return false;
  }
  const uint32_t length = uint32_t{left.length} + right.length;
  if (left.kind == Piece::Kind::kAscii) {
    return right.kind == Piece::Kind::kAscii && length <= kMaxAsciiElements &&
           left.start + left.length == right.start;
  }
  return length <= kMaxTextElements && left.start + TextOf(left, left.length).size() == right.start;
}

void Sequence::JoinNext(const Place& place) {
  if (place.index + 1 >= place.leaf->count) return;
  Piece& left = place.leaf->pieces[place.index];
  const Piece& right = place.leaf->pieces[place.index + 1];
  if (!CanJoin(left, right)) return;
  left.length = static_cast<uint16_t>(left.length + right.length);
  tree_.Erase({place.leaf, place.index + 1});
}

void Sequence::Put(const Place& place, const Piece& piece) {
  if (place.index > 0) {
    Piece& left = place.leaf->pieces[place.index - 1];
    if (CanJoin(left, piece)) {
      left.length = static_cast<uint16_t>(left.length + piece.length);
      tree_.Changed(*place.leaf, SizeOf(piece));
      OnNew(piece, place.leaf);
      return;
    }
  }
  const Place put = tree_.Insert(place, piece);
  OnNew(piece, put.leaf);
}

void Sequence::InsertText(OpId first, OpId after, uint32_t start, std::string_view text) {
  Piece piece{.counter = first.counter, .actor = first.actor, .start = start};
  while (!text.empty()) {
    std::string_view part = text.substr(0, kMaxAsciiElements);
    piece.kind = Piece::Kind::kAscii;
    piece.length = static_cast<uint16_t>(part.size());
    if (!IsAscii(part)) {
      part = PrefixOf(text, Unit::kCodePoints, kMaxTextElements);
      piece.kind = Piece::Kind::kText;
      piece.length = static_cast<uint16_t>(Measure(part).code_points);
    }
    Put(PlaceOf({.counter = piece.counter, .actor = piece.actor}, after), piece);
    text.remove_prefix(part.size());
    piece.counter += piece.length;
    piece.start += static_cast<uint32_t>(part.size());
    after = {.counter = piece.counter - 1, .actor = piece.actor};
  }
}

void Sequence::InsertSpecial(OpId id, OpId after, std::string_view shown) {
  const Piece piece{.counter = id.counter,
                    .actor = id.actor,
                    .start = AddSpecialValues(),
                    .length = 1,
                    .kind = Piece::Kind::kSpecial};
  specials_.back().try_emplace(id, shown);
  Put(PlaceOf(id, after), piece);
}

// --- loading

void Sequence::AppendLoaded(const Piece& piece) {
  tree_.Insert({tree_.last(), tree_.last()->count}, piece);
}

void Sequence::FinishLoading() {
  std::vector<std::pair<uint64_t, Tree::Leaf*>> leaves;
  for (Tree::Leaf* leaf = tree_.first(); leaf != nullptr; leaf = leaf->next) {
    for (const Piece& piece : *leaf) leaves.emplace_back(KeyOf(piece.actor, piece.counter), leaf);
  }
  std::sort(leaves.begin(), leaves.end());
  leaves_.clear();
  for (const auto& [key, leaf] : leaves) leaves_.emplace_hint(leaves_.end(), key, leaf);
}

// --- other values of elements

Sequence::Piece& Sequence::MakeSpecial(OpId element) {
  std::optional<Located> located = Locate(element);
  Place place = located->place;
  if (located->offset != 0) place = Split(place, located->offset);
  if (place.leaf->pieces[place.index].length > 1) {
    Split(place, 1);
    place = Locate(element)->place;
  }
  Piece& piece = place.leaf->pieces[place.index];
  last_leaf_ = place.leaf;
  if (piece.kind == Piece::Kind::kSpecial) return piece;
  const uint32_t values = AddSpecialValues();
  if (piece.visible) specials_.back().try_emplace(element, TextOf(piece, 1));
  // Its size stays what it was.
  piece.kind = Piece::Kind::kSpecial;
  piece.start = values;
  return piece;
}

void Sequence::AddValue(OpId element, OpId id, std::string_view shown) {
  Piece& piece = MakeSpecial(element);
  const TextSize before = SizeOf(piece);
  piece.visible = true;
  specials_[piece.start].try_emplace(id, shown);
  tree_.Changed(*last_leaf_, SizeOf(piece) - before);
}

void Sequence::HideValue(OpId element, OpId id) {
  const std::optional<Located> located = Locate(element);
  Piece& there = located->place.leaf->pieces[located->place.index];
  if (there.kind != Piece::Kind::kSpecial) {
    if (id != element) return;
    ElementRun run{.first = element, .count = 1};
    HideFirst(run);
    return;
  }
  const TextSize before = SizeOf(there);
  Values& values = specials_[there.start];
  values.erase(id);
  there.visible = !values.empty();
  tree_.Changed(*located->place.leaf, SizeOf(there) - before);
}

TextSize Sequence::HideFirst(ElementRun& run) {
  const OpId first = run.first;
  const std::optional<Located> located = Locate(first);
  Place place = located->place;
  if (place.leaf->pieces[place.index].kind == Piece::Kind::kSpecial) {
    const TextSize before = tree_.size();
    HideValue(first, first);
    run = {.first = {.counter = first.counter + 1, .actor = first.actor}, .count = run.count - 1};
    return before - tree_.size();
  }
  const uint32_t count =
      std::min(run.count, place.leaf->pieces[place.index].length - located->offset);
  run = {.first = {.counter = first.counter + count, .actor = first.actor},
         .count = run.count - count};
  if (!place.leaf->pieces[place.index].visible) return {};
  if (located->offset != 0) place = Split(place, located->offset);
  if (place.leaf->pieces[place.index].length > count) {
    Split(place, count);
    place = Locate(first)->place;
  }
  Piece& piece = place.leaf->pieces[place.index];
  const TextSize size = SizeOf(piece);
  piece.visible = false;
  tree_.Changed(*place.leaf, TextSize() - size);
  last_leaf_ = place.leaf;
  JoinNext(place);
  if (place.index > 0) JoinNext({place.leaf, place.index - 1});
  return size;
}

// --- what an edit is about

std::vector<Sequence::ElementRun> Sequence::ElementsOf(Unit unit, uint32_t units,
                                                       uint32_t count) const {
  std::vector<ElementRun> runs;
  if (count == 0) return runs;
  auto [place, offset] = tree_.Find(unit, units);
  for (; place.leaf != nullptr; place = {place.leaf->next, 0}) {
    last_leaf_ = place.leaf;
    for (; place.index < place.leaf->count; ++place.index) {
      const Piece& piece = place.leaf->pieces[place.index];
      const uint32_t width = WidthOf(piece, unit);
      if (width == 0) continue;
      uint32_t skip = 0;
      uint32_t take = 1;
      if (piece.kind != Piece::Kind::kSpecial) {
        skip = ElementsIn(piece, unit, offset);
        // The last one may be cut by the end of the range.
        take = ElementsIn(piece, unit, std::min(width, offset + count) - 1) + 1 - skip;
      }
      if (take != 0) {
        runs.push_back(
            {.first = {.counter = piece.counter + skip, .actor = piece.actor}, .count = take});
      }
      const uint32_t taken = std::min(width - offset, count);
      count -= taken;
      offset = 0;
      if (count == 0) return runs;
    }
  }
  return runs;
}

std::string Sequence::ShownAt(OpId element) const {
  const std::optional<Located> located = Locate(element);
  if (!located) return {};
  const Piece& piece = located->place.leaf->pieces[located->place.index];
  if (!piece.visible) return {};
  if (piece.kind == Piece::Kind::kSpecial) {
    const Values::value_type* const shown = ShownOf(piece);
    return shown == nullptr ? std::string() : shown->second.text;
  }
  const size_t before = TextOf(piece, located->offset).size();
  return std::string(TextOf(piece, located->offset + 1).substr(before));
}

std::optional<OpId> Sequence::ShownValueOf(OpId element) const {
  const std::optional<Located> located = Locate(element);
  const Piece& piece = located->place.leaf->pieces[located->place.index];
  if (!piece.visible) return std::nullopt;
  if (piece.kind != Piece::Kind::kSpecial) return element;
  const Values::value_type* const shown = ShownOf(piece);
  return shown == nullptr ? std::nullopt : std::optional(shown->first);
}

std::vector<OpId> Sequence::VisibleValuesOf(OpId element) const {
  const std::optional<Located> located = Locate(element);
  const Piece& piece = located->place.leaf->pieces[located->place.index];
  if (piece.kind != Piece::Kind::kSpecial) return {element};
  std::vector<OpId> ids;
  for (const auto& [id, value] : specials_[piece.start]) ids.push_back(id);
  return ids;
}

}  // namespace cursorwire::automerge
