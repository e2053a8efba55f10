#include "collab/room_agent/line_snapshot.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "crdt/text/text_size.h"

namespace cursorwire::room_agent {
namespace {

using crdt::Unit;

bool IsLineStart(std::string_view text, size_t at) { return at == 0 || text[at - 1] == '\n'; }
bool IsLineEnd(std::string_view text, size_t at) { return at == text.size() || text[at] == '\n'; }

uint32_t LineStartOf(std::string_view text, uint32_t at) {
  const size_t feed = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return feed == std::string_view::npos ? 0 : static_cast<uint32_t>(feed + 1);
}

uint32_t LineEndOf(std::string_view text, uint32_t at) {
  return static_cast<uint32_t>(std::min(text.find('\n', at), text.size()));
}

std::string_view RangeOfText(std::string_view text, ByteRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

std::string_view WithoutFeed(std::string_view lines) {
  if (!lines.empty() && lines.back() == '\n') lines.remove_suffix(1);
  return lines;
}

// At the end of a text, a line is the same with and without line feed.
bool AreSameLines(std::string_view a, std::string_view b) {
  return a.empty() == b.empty() && WithoutFeed(a) == WithoutFeed(b);
}

// Whether the range begins or ends within a line.
bool IsJoined(std::string_view text, ByteRange range) {
  if (range.begin == range.end) return false;
  return !IsLineStart(text, range.begin) ||
         (text[range.end - 1] != '\n' && !IsLineEnd(text, range.end));
}

uint64_t KeyOfPlace(uint32_t line) { return uint64_t{2} * line; }
uint64_t KeyOfRange(uint32_t first_line) { return uint64_t{2} * first_line + 1; }
uint32_t LineOfKey(uint64_t key) { return static_cast<uint32_t>(key / 2); }
bool IsRangeKey(uint64_t key) { return key % 2 == 1; }

std::string NameOfLines(uint32_t first, uint32_t last) {
  return first == last ? absl::StrCat("line ", first) : absl::StrCat("lines ", first, "-", last);
}

uint32_t CountFeeds(std::string_view text) {
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

// --- the snapshot

absl::Status LineSnapshot::CheckSize(const yjs::Document& document, std::string_view root) {
  const crdt::TextSize size = document.size(root);
  if (size.bytes <= kMaxSnapshotBytes && size.lines < kMaxSnapshotLines) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("a text of ", size.bytes, " bytes and ",
                                                   size.lines, " lines, limits ", kMaxSnapshotBytes,
                                                   " and ", kMaxSnapshotLines));
}

LineSnapshot::LineSnapshot(yjs::Document& document, std::string root)
    : document_(document), root_(std::move(root)) {
  if (!CheckSize(document_, root_).ok()) return;
  text_ = document_.Text(root_);
  ends_open_ = !text_.empty() && text_.back() != '\n';
  lines_.reserve(CountLines(text_));
  for (uint32_t begin = 0; begin < text_.size();) {
    const uint32_t end = LineEndOf(text_, begin);
    SnapshotLine line{.begin = begin, .first = UnitAt(begin).value_or(yjs::Id{})};
    if (end < text_.size()) line.feed = end == begin ? line.first : UnitAt(end);
    lines_.push_back(line);
    begin = end + 1;
  }
}

std::string_view LineSnapshot::Line(uint32_t number) const {
  const uint32_t begin = lines_[number - 1].begin;
  return std::string_view(text_).substr(begin, LineEndOf(text_, begin) - begin);
}

absl::Status LineSnapshot::CheckRange(uint32_t start, uint32_t end) const {
  if (start >= 1 && start <= end && end <= line_count()) return absl::OkStatus();
  std::string message = absl::StrCat("Document has ", line_count(), " lines.");
  if (lines_.empty()) {
    message += " Use insert_at_line with line 1.";
  } else if (start > end) {
    message += " start_line must not be greater than end_line.";
  } else {
    absl::StrAppend(&message, " Name lines from 1 to ", line_count(), ".");
  }
  return absl::OutOfRangeError(message);
}

// --- places in the text as it is now

uint32_t LineSnapshot::PlaceOf(const yjs::Id& unit, int assoc) const {
  return document_.PositionOf(root_, unit, assoc).value_or(crdt::TextSize()).bytes;
}

std::optional<yjs::Id> LineSnapshot::UnitAt(uint32_t byte) const {
  return document_.AnchorAt(root_, Unit::kBytes, byte);
}

std::optional<uint32_t> LineSnapshot::FindUnit(const yjs::Id& unit) const {
  const uint32_t place = PlaceOf(unit, 0);
  if (UnitAt(place) != unit) return std::nullopt;
  return place;
}

LineSnapshot::Anchors LineSnapshot::AnchorsOf(uint32_t first_line, uint32_t last_line) const {
  Anchors anchors{.first = lines_[first_line - 1].first,
                  .last_line = lines_[last_line - 1].first,
                  .feed = lines_[last_line - 1].feed};
  if (first_line > 1) anchors.before = lines_[first_line - 2].feed;
  return anchors;
}

// Whether the line feed of a line was deleted by others.
bool LineSnapshot::LostFeed(uint32_t line) const {
  const SnapshotLine& of = lines_[line - 1];
  return of.feed && !of.feed_is_taken && !FindUnit(*of.feed) && OwnRangeOf(line) == own_.end();
}

// Gives lines new names that others deleted and put there again as they were, as an undo does.
// Returns the last line that it looked at.
uint32_t LineSnapshot::FindRestored(std::string_view text, uint32_t line) {
  if (line < 1 || line > line_count() || !LostFeed(line)) return line;
  uint32_t first = line;
  uint32_t last = line + 1;  // the next line that still has its line feed
  while (first > 1 && LostFeed(first - 1)) --first;
  while (last <= line_count() && LostFeed(last)) ++last;
  if (last > line_count() || OwnRangeOf(last) != own_.end()) --last;
  const size_t begin = lines_[first - 1].begin;
  const size_t end = last == line_count() ? text_.size() : lines_[last].begin;
  Anchors anchors = AnchorsOf(first, last);
  if (LostFeed(last)) anchors.feed.reset();
  const ByteRange range = RangeOf(anchors, KeyOfRange(first), KeyOfRange(last));
  if (RangeOfText(text, range) != std::string_view(text_).substr(begin, end - begin)) return last;
  for (uint32_t i = first; i <= last; ++i) {
    SnapshotLine& restored = lines_[i - 1];
    const auto at = static_cast<uint32_t>(range.begin + restored.begin - begin);
    restored.first = UnitAt(at).value_or(restored.first);
    if (restored.feed) restored.feed = UnitAt(LineEndOf(text, at));
  }
  return last;
}

// Where what this run put before a place ends. Of what it deleted there, the place counts.
uint32_t LineSnapshot::EndOfOwnBelow(uint64_t key) const {
  uint32_t end = 0;
  auto own = own_.lower_bound(key);
  while (own != own_.begin()) {
    const OwnText& text = (--own)->second;
    if (text.is_there) return std::max(end, PlaceOf(text.last, -1));
    if (text.anchors.before) end = std::max(end, PlaceOf(*text.anchors.before, -1));
  }
  return end;
}

// The next text of this run behind a place.
const LineSnapshot::OwnText* LineSnapshot::OwnAbove(uint64_t key) const {
  const auto own = std::find_if(own_.upper_bound(key), own_.end(),
                                [](const auto& entry) { return entry.second.is_there; });
  return own == own_.end() ? nullptr : &own->second;
}

// Behind what was in front of the lines, up to their line feed, or to where these were; and not
// beyond what this run has put around them.
ByteRange LineSnapshot::RangeOf(const Anchors& anchors, uint64_t key, uint64_t last_key) const {
  ByteRange range;
  if (anchors.before) range.begin = PlaceOf(*anchors.before, -1);
  range.end = anchors.feed ? PlaceOf(*anchors.feed, -1) : document_.size(root_).bytes;
  range.begin = std::max(range.begin, EndOfOwnBelow(key));
  if (const OwnText* const own = OwnAbove(last_key)) {
    const uint32_t begin = PlaceOf(own->anchors.first, 0);
    if (begin >= range.begin) range.end = std::min(range.end, begin);
  }
  range.end = std::max(range.begin, range.end);
  return range;
}

LineSnapshot::Slot LineSnapshot::MakeSlot(uint32_t first_line, uint32_t last_line) const {
  Slot slot{.first_line = first_line, .last_line = last_line};
  slot.anchors = AnchorsOf(first_line, last_line);
  slot.range = RangeOf(slot.anchors, KeyOfRange(first_line), KeyOfRange(last_line));
  return slot;
}

LineSnapshot::Slot LineSnapshot::OwnSlot(std::map<uint64_t, OwnText>::const_iterator own) const {
  const auto& [key, text] = *own;
  return {.first_line = LineOfKey(key),
          .last_line = text.last_line,
          .own = &text,
          .anchors = text.anchors,
          .range = RangeOf(text.anchors, key, key)};
}

std::map<uint64_t, LineSnapshot::OwnText>::const_iterator LineSnapshot::OwnRangeOf(
    uint32_t line) const {
  auto own = own_.upper_bound(KeyOfRange(line));
  while (own != own_.begin()) {
    if (!IsRangeKey((--own)->first)) continue;
    return own->second.last_line >= line ? own : own_.end();
  }
  return own_.end();
}

LineSnapshot::Slot LineSnapshot::SlotOf(uint32_t line) const {
  const auto own = OwnRangeOf(line);
  return own == own_.end() ? MakeSlot(line, line) : OwnSlot(own);
}

absl::StatusOr<LineSnapshot::Slot> LineSnapshot::SlotFor(uint32_t start, uint32_t end) const {
  const auto first = OwnRangeOf(start);
  const auto last = OwnRangeOf(end);
  if (first != own_.end() && LineOfKey(first->first) == start && first->second.last_line == end) {
    return OwnSlot(first);
  }
  auto overlapped = first != own_.end() ? first : last;
  if (overlapped == own_.end()) {
    overlapped =
        std::find_if(own_.lower_bound(KeyOfRange(start)), own_.upper_bound(KeyOfRange(end)),
                     [](const auto& entry) { return IsRangeKey(entry.first); });
    if (overlapped == own_.upper_bound(KeyOfRange(end))) return MakeSlot(start, end);
  }
  const std::string name = NameOfLines(LineOfKey(overlapped->first), overlapped->second.last_line);
  return absl::FailedPreconditionError(
      absl::StrCat(name, " were replaced by you. To change them again, name exactly ", name,
                   ": they stand for what you put there."));
}

// Where the line with the number of the slot begins, which others may have put lines around.
uint32_t LineSnapshot::NumberedLineOf(std::string_view text, const Slot& slot) const {
  const std::optional<uint32_t> first = FindUnit(slot.anchors.first);
  if (!first || *first < slot.range.begin || *first >= slot.range.end) return slot.range.begin;
  return std::max(LineStartOf(text, *first), slot.range.begin);
}

PresentLine LineSnapshot::PresentLineAt(std::string_view text, uint32_t byte) const {
  const uint32_t begin = LineStartOf(text, byte);
  PresentLine line{.kind = PresentLine::Kind::kNew};
  line.text = text.substr(begin, LineEndOf(text, begin) - begin);
  for (const auto& [key, own] : own_) {
    if (!own.is_there || begin < PlaceOf(own.anchors.first, 0) || begin >= PlaceOf(own.last, -1)) {
      continue;
    }
    line.start = line.end = LineOfKey(key);
    if (!IsRangeKey(key)) return line;
    line.kind = PresentLine::Kind::kReplaced;
    line.end = own.last_line;
    return line;
  }

  const auto found = std::partition_point(
      lines_.begin(), lines_.end(), [this, begin](const SnapshotLine& candidate) {
        return candidate.feed && PlaceOf(*candidate.feed, -1) <= begin;
      });
  line.start = static_cast<uint32_t>(found - lines_.begin()) + 1;
  if (found != lines_.end()) {
    const Slot slot = SlotOf(line.start);
    const uint32_t numbered = NumberedLineOf(text, slot);
    if (slot.own != nullptr) {
      line.start = begin < numbered ? slot.first_line : slot.last_line + 1;
    } else if (begin > numbered) {
      ++line.start;
    } else if (begin == LineStartOf(text, numbered)) {
      line.kind = PresentLine::Kind::kNumbered;
    }
  }
  line.end = line.start;
  return line;
}

// --- what was shown

std::string LineSnapshot::ExpectedText(const Slot& slot) const {
  if (slot.own != nullptr) return slot.own->shown;
  std::string text;
  uint32_t line = slot.first_line;  // the first that is not in `text`
  const auto copy_until = [this, &text, &line](uint32_t end) {
    if (line >= end) return;
    const uint32_t begin_byte = lines_[line - 1].begin;
    const size_t end_byte = end > line_count() ? text_.size() : lines_[end - 1].begin;
    text.append(text_, begin_byte, end_byte - begin_byte);
    line = end;
  };
  for (auto shown = shown_.lower_bound(slot.first_line);
       shown != shown_.end() && shown->first <= slot.last_line; ++shown) {
    copy_until(shown->first);
    if (shown->first > slot.first_line) text += shown->second.inserted;
    text += shown->second.text;
    line = shown->first + 1;
  }
  copy_until(slot.last_line + 1);
  return text;
}

bool LineSnapshot::WasShownJoined(const Slot& slot) const {
  const auto is_joined = [this](uint32_t line) {
    const auto shown = shown_.find(line);
    return shown != shown_.end() && shown->second.is_joined;
  };
  return is_joined(slot.first_line) || is_joined(slot.last_line);
}

// Where the lines of a slot are, if they are as they were shown last.
std::optional<ByteRange> LineSnapshot::FindUnchanged(std::string_view text,
                                                     const Slot& slot) const {
  const std::string expected = ExpectedText(slot);
  const bool may_be_joined = slot.own != nullptr || WasShownJoined(slot);
  if (AreSameLines(RangeOfText(text, slot.range), expected) &&
      (may_be_joined || !IsJoined(text, slot.range))) {
    return slot.range;
  }
  if (expected.empty()) return std::nullopt;
  return FindAround(text, slot, WithoutFeed(expected));
}

// The lines, where others have put whole lines directly in front of them or behind.
std::optional<ByteRange> LineSnapshot::FindAround(std::string_view text, const Slot& slot,
                                                  std::string_view lines) const {
  const std::optional<uint32_t> first = FindUnit(slot.anchors.first);
  if (!first || *first < slot.range.begin || lines.size() > slot.range.end ||
      *first > slot.range.end - lines.size()) {
    return std::nullopt;
  }
  ByteRange range{.begin = *first, .end = *first + static_cast<uint32_t>(lines.size())};
  if (RangeOfText(text, range) != lines || !IsLineStart(text, range.begin) ||
      !IsLineEnd(text, range.end)) {
    return std::nullopt;
  }
  // Else equal lines were put between them.
  const uint32_t last_line = LineStartOf(text, range.end);
  if (FindUnit(slot.anchors.last_line) != std::max(last_line, range.begin)) return std::nullopt;
  if (range.end < slot.range.end) ++range.end;
  return range;
}

absl::StatusOr<std::string> LineSnapshot::Show(uint32_t start, uint32_t end) {
  if (absl::Status status = CheckRange(start, end); !status.ok()) return status;
  return List(PresentText(), start, end).Text();
}

absl::Status LineSnapshot::RefuseChanged(std::string_view text, uint32_t start, uint32_t end) {
  const LineListing listing = List(text, start, end);
  return absl::AbortedError(absl::StrCat(
      "Nothing was done: ", NameOfLines(start, end),
      " changed meanwhile, or you inserted lines between them. This is there now:\n",
      listing.Text(),
      listing.is_complete()
          ? "\nAdapt your edit to it, or make the same call again to do it all the same."
          : "\nSee the rest with get_line_range before you make the same call again."));
}

LineListing LineSnapshot::List(std::string_view text, uint32_t start, uint32_t end) {
  LineListing listing;
  std::optional<uint32_t> from;
  uint32_t looked_at = FindRestored(text, start - 1);
  for (uint32_t line = start; line <= end;) {
    if (line > looked_at) looked_at = FindRestored(text, line);
    const Slot slot = SlotOf(line);
    if (!from) from = slot.range.begin;
    if (!ListSlot(text, slot, *from, listing)) {
      listing.LeaveOut(end - line + 1);
      break;
    }
    NoteShown(text, slot, *from);
    from = slot.range.end;
    line = slot.last_line + 1;
  }
  return listing;
}

// With what stands in front of it, from `from` on. False: not all of it fits.
bool LineSnapshot::ListSlot(std::string_view text, const Slot& slot, uint32_t from,
                            LineListing& listing) const {
  const uint32_t numbered = NumberedLineOf(text, slot);
  const bool is_gone = slot.range.begin == slot.range.end;
  bool is_changed = !is_gone && IsJoined(text, slot.range);
  for (uint32_t begin = from; begin < slot.range.end;) {
    const uint32_t end = std::min(LineEndOf(text, begin), slot.range.end);
    const std::string_view line = text.substr(begin, end - begin);
    const bool has_number = begin == numbered && begin >= slot.range.begin;
    if (!listing.Add(has_number ? std::optional(slot.first_line) : std::nullopt, line)) {
      return false;
    }
    if (has_number) is_changed |= line != Line(slot.first_line);
    begin = end + 1;
  }
  using Remark = LineListing::Remark;
  if (slot.own != nullptr) {
    listing.Note(slot.own->is_there ? Remark::kReplaced : Remark::kDeleted, slot.first_line,
                 slot.last_line);
  } else if (is_gone || is_changed) {
    listing.Note(is_gone ? Remark::kGone : Remark::kChanged, slot.first_line, slot.last_line);
  }
  return true;
}

void LineSnapshot::NoteShown(std::string_view text, const Slot& slot, uint32_t from) {
  if (slot.own != nullptr) {
    own_[KeyOfRange(slot.first_line)].shown = RangeOfText(text, slot.range);
    return;
  }
  const uint32_t line = slot.first_line;
  ShownLine shown{.inserted = std::string(text.substr(from, slot.range.begin - from)),
                  .text = std::string(RangeOfText(text, slot.range)),
                  .is_joined = IsJoined(text, slot.range)};
  if (shown.inserted.empty() && !shown.is_joined && !shown.text.empty() &&
      WithoutFeed(shown.text) == Line(line)) {
    shown_.erase(line);
  } else {
    shown_[line] = std::move(shown);
  }
}

// --- edits

absl::StatusOr<std::optional<AppliedEdit>> LineSnapshot::Replace(uint32_t start, uint32_t end,
                                                                 std::string_view lines) {
  if (absl::Status status = CheckRange(start, end); !status.ok()) return status;
  std::string text = PresentText();
  for (const uint32_t line : {start - 1, start, end}) FindRestored(text, line);
  const absl::StatusOr<Slot> slot = SlotFor(start, end);
  if (!slot.ok()) return slot.status();
  const std::optional<ByteRange> range = FindUnchanged(text, *slot);
  if (!range) return RefuseChanged(text, start, end);
  const std::optional<std::string> normal = NormalizeLines(lines);
  const LineSplice splice = SpliceLines(text, *range, normal, ends_open_);
  if (splice.empty()) return std::optional<AppliedEdit>();

  OwnText own{.last_line = end, .is_there = normal.has_value()};
  if (!own.is_there) own.anchors = AnchorsOfTaken(splice);
  const std::optional<yjs::Id> taken = splice.at < range->begin ? UnitAt(splice.at) : std::nullopt;
  absl::StatusOr<AppliedEdit> edit = Apply(text, *range, splice, normal);
  if (!edit.ok()) return edit.status();
  if (own.is_there) NameLines(text, splice, own);
  if (taken) {
    for (SnapshotLine& line : lines_) line.feed_is_taken |= line.feed == taken;
  }
  if (slot->own == nullptr) {
    own_.erase(own_.upper_bound(KeyOfRange(start)), own_.lower_bound(KeyOfRange(end)));
    shown_.erase(shown_.lower_bound(start), shown_.upper_bound(end));
  }
  own_[KeyOfRange(start)] = std::move(own);
  return std::optional(*std::move(edit));
}

absl::StatusOr<std::optional<AppliedEdit>> LineSnapshot::InsertBefore(uint32_t line,
                                                                      std::string_view lines) {
  if (line < 1 || line > line_count() + 1) {
    return absl::OutOfRangeError(absl::StrCat(
        "Document has ", line_count(), " lines. Insert before line 1 to ", line_count() + 1, "."));
  }
  const std::optional<std::string> normal = NormalizeLines(lines);
  if (!normal) return absl::InvalidArgumentError("There are no lines to insert.");
  std::string text = PresentText();
  FindRestored(text, line - 1);
  FindRestored(text, line);
  const absl::StatusOr<uint32_t> place = PlaceBefore(text, line);
  if (!place.ok()) return place.status();
  const ByteRange range{.begin = *place, .end = *place};
  const LineSplice splice = SpliceLines(text, range, normal, ends_open_);
  absl::StatusOr<AppliedEdit> edit = Apply(text, range, splice, normal);
  if (!edit.ok()) return edit.status();

  const auto [own, is_new] = own_.try_emplace(KeyOfPlace(line));
  OwnText named;
  NameLines(text, splice, named);
  own->second.last = named.last;
  if (is_new) own->second.anchors.first = named.anchors.first;
  return std::optional(*std::move(edit));
}

absl::StatusOr<uint32_t> LineSnapshot::PlaceBefore(std::string_view text, uint32_t line) const {
  if (line > line_count()) return static_cast<uint32_t>(text.size());
  const auto own = own_.find(KeyOfPlace(line));
  if (own != own_.end()) {
    const uint32_t place = PlaceOf(own->second.last, -1);
    return IsLineStart(text, place) ? place : LineEndOf(text, place);
  }
  const auto range = OwnRangeOf(line);
  const bool is_replaced = range != own_.end() && range->second.is_there;
  if (is_replaced && LineOfKey(range->first) != line) {
    const uint32_t first = LineOfKey(range->first);
    const uint32_t last = range->second.last_line;
    const std::string name = NameOfLines(first, last);
    return absl::FailedPreconditionError(
        absl::StrCat(name, " were replaced by you. Insert before line ", first, " or ", last + 1,
                     ", or name exactly ", name, " to change what you put there."));
  }
  const Anchors anchors = is_replaced ? range->second.anchors : AnchorsOf(line, line);
  uint32_t place = LineStartOf(text, PlaceOf(anchors.first, 0));
  if (anchors.before) place = std::max(place, PlaceOf(*anchors.before, -1));
  place = std::max(place, EndOfOwnBelow(KeyOfPlace(line)));
  return IsLineEnd(text, place) ? place : LineStartOf(text, place);
}

// One update if it is short. Else its pieces go behind what is replaced, which is taken out last:
// where not all of them arrive, the room has both texts rather than neither.
absl::StatusOr<std::vector<std::string>> LineSnapshot::SpliceInPieces(const LineSplice& splice) {
  std::vector<std::string> updates;
  const auto put = [&](uint32_t at, uint32_t count, std::string_view piece) {
    absl::StatusOr<std::string> update = document_.Splice(root_, Unit::kBytes, at, count, piece);
    absl::Status status = update.status();
    if (status.ok()) updates.push_back(*std::move(update));
    return status;
  };
  std::string_view rest = splice.text;
  if (rest.size() <= kMaxUpdateTextBytes) {
    if (absl::Status status = put(splice.at, splice.count, rest); !status.ok()) return status;
    return updates;
  }
  for (uint32_t at = splice.at + splice.count; !rest.empty();) {
    const std::string_view piece = Utf8Prefix(rest, kMaxUpdateTextBytes);
    if (absl::Status status = put(at, 0, piece); !status.ok()) return status;
    at += static_cast<uint32_t>(piece.size());
    rest.remove_prefix(piece.size());
  }
  if (splice.count == 0) return updates;
  if (absl::Status status = put(splice.at, splice.count, ""); !status.ok()) return status;
  return updates;
}

// Makes `text` what it is afterwards.
absl::StatusOr<AppliedEdit> LineSnapshot::Apply(std::string& text, ByteRange range,
                                                const LineSplice& splice,
                                                const std::optional<std::string>& lines) {
  absl::StatusOr<std::vector<std::string>> updates = SpliceInPieces(splice);
  if (!updates.ok()) return updates.status();
  AppliedEdit edit{.end_byte = splice.end, .updates = *std::move(updates)};
  const uint32_t old_lines = CountLines(RangeOfText(text, range));
  edit.start_line = CountFeeds(std::string_view(text).substr(0, range.begin)) + 1;
  text.replace(splice.at, splice.count, splice.text);
  if (lines) {
    edit.start_line = CountFeeds(std::string_view(text).substr(0, splice.begin)) + 1;
    edit.lines = CountFeeds(*lines) + 1;
  }
  edit.end_line = edit.start_line + old_lines - 1;
  return edit;
}

// The names of what an edit takes out, which go on to name its place.
LineSnapshot::Anchors LineSnapshot::AnchorsOfTaken(const LineSplice& splice) const {
  Anchors anchors{.first = UnitAt(splice.at).value_or(yjs::Id{})};
  if (splice.at > 0) anchors.before = UnitAt(splice.at - 1);
  anchors.feed = splice.count > 0 ? UnitAt(splice.at + splice.count - 1) : anchors.first;
  return anchors;
}

// `text` has the new lines in it. The line feed behind them is theirs, whoever has put it there.
void LineSnapshot::NameLines(std::string_view text, const LineSplice& splice, OwnText& own) const {
  const bool has_feed = splice.end < text.size();
  own.shown = text.substr(splice.begin, splice.end - splice.begin + (has_feed ? 1 : 0));
  if (splice.begin > 0) own.anchors.before = UnitAt(splice.begin - 1);
  own.anchors.first = UnitAt(splice.begin).value_or(yjs::Id{});
  own.anchors.last_line = UnitAt(LineStartOf(text, splice.end)).value_or(yjs::Id{});
  if (has_feed) own.anchors.feed = UnitAt(splice.end);
  own.last =
      has_feed ? own.anchors.feed.value_or(yjs::Id{}) : UnitAt(splice.end - 1).value_or(yjs::Id{});
}

}  // namespace cursorwire::room_agent
