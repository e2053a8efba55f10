#include "crdt/text/text_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <span>

namespace cursorwire::crdt {
namespace {

// A code point, or this and a byte that is part of none. No two sequences of bytes have the same
// units, so that equal units are equal text.
constexpr char32_t kDiffBadByte = 0x110000;

struct DiffUnit {
  char32_t value = 0;
  size_t bytes = 1;
};

// A piece of the old text and what stands there in the new one, in units of the middle.
struct DiffSpan {
  size_t old_begin = 0;
  size_t old_end = 0;
  size_t new_begin = 0;
  size_t new_end = 0;
};

using DiffUnits = std::span<const char32_t>;

bool ContinuesDiffUnit(char byte) { return (static_cast<uint8_t>(byte) & 0xc0) == 0x80; }

// The unit at the front of `text`, which is not empty. Takes only the shortest form (RFC 3629), and
// never a byte that begins another unit: so there is a border in front of each such byte, whatever
// the text.
DiffUnit FirstDiffUnit(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {.value = lead};
  const DiffUnit bad = {.value = kDiffBadByte + lead};
  size_t bytes = 0;
  char32_t value = 0;
  char32_t least = 0;
  if ((lead & 0xe0) == 0xc0) {
    bytes = 2;
    value = lead & 0x1f;
    least = 0x80;
  } else if ((lead & 0xf0) == 0xe0) {
    bytes = 3;
    value = lead & 0x0f;
    least = 0x800;
  } else if ((lead & 0xf8) == 0xf0) {
    bytes = 4;
    value = lead & 0x07;
    least = 0x10000;
  } else {
    return bad;
  }
  if (text.size() < bytes) return bad;
  for (size_t i = 1; i < bytes; ++i) {
    if (!ContinuesDiffUnit(text[i])) return bad;
    value = (value << 6) | (static_cast<uint8_t>(text[i]) & 0x3f);
  }
  if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return bad;
  return {.value = value, .bytes = bytes};
}

// The unit at the end of `text`, which is not empty.
DiffUnit LastDiffUnit(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && ContinuesDiffUnit(text[begin])) --begin;
  const DiffUnit unit = FirstDiffUnit(text.substr(begin));
  if (begin + unit.bytes == text.size()) return unit;
  return {.value = kDiffBadByte + static_cast<uint8_t>(text.back())};
}

size_t BytesOfDiffUnit(char32_t value) {
  if (value < 0x80 || value >= kDiffBadByte) return 1;
  if (value < 0x800) return 2;
  return value < 0x10000 ? 3 : 4;
}

// How many bytes of plain ASCII `text` begins with, in whole words: most texts are little else.
size_t AsciiWordsOfDiff(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t bytes = 0;
  uint64_t word = 0;
  while (text.size() - bytes >= sizeof(word)) {
    std::memcpy(&word, text.data() + bytes, sizeof(word));
    if ((word & kHighBits) != 0) break;
    bytes += sizeof(word);
  }
  return bytes;
}

size_t CountDiffUnits(std::string_view text) {
  size_t count = 0;
  while (!text.empty()) {
    const size_t ascii = AsciiWordsOfDiff(text);
    count += ascii;
    text.remove_prefix(ascii);
    // Up to a word's worth, before it is worth looking for ASCII again.
    for (size_t i = 0; i < sizeof(uint64_t) && !text.empty(); ++i) {
      ++count;
      text.remove_prefix(FirstDiffUnit(text).bytes);
    }
  }
  return count;
}

std::vector<char32_t> DecodeDiffUnits(std::string_view text, size_t count) {
  std::vector<char32_t> units;
  units.reserve(count);
  while (!text.empty()) {
    const DiffUnit unit = FirstDiffUnit(text);
    units.push_back(unit.value);
    text.remove_prefix(unit.bytes);
  }
  return units;
}

constexpr char32_t kDiffJoiner = 0x200d;

bool ExtendsDiffUnit(char32_t value) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kRanges[] = {
      {0x0300, 0x036f},            // combining diacritical marks
      {0x1ab0, 0x1aff},            //   extended
      {0x1dc0, 0x1dff},            //   supplement
      {kDiffJoiner, kDiffJoiner},  // zero width joiner
      {0x20d0, 0x20ff},            // combining marks for symbols
      {0xfe00, 0xfe0f},            // variation selectors
      {0xfe20, 0xfe2f},            // combining half marks
      {0x1f3fb, 0x1f3ff},          // emoji modifiers
      {0xe0020, 0xe007f},          // tags
      {0xe0100, 0xe01ef},          // variation selectors, supplement
  };
  if (value < kRanges[0].first) return false;
  return std::any_of(std::begin(kRanges), std::end(kRanges), [value](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

// No border may stand between these two.
bool JoinDiffUnits(char32_t before, char32_t after) {
  return (before == '\r' && after == '\n') || before == kDiffJoiner || ExtendsDiffUnit(after);
}

// `at` is a border of units.
bool TearsTextOfDiff(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return false;
  return JoinDiffUnits(LastDiffUnit(text.substr(0, at)).value,
                       FirstDiffUnit(text.substr(at)).value);
}

// Bytes at the start of both that are equal, up to a border in both that tears nothing.
size_t CommonStartOfDiff(std::string_view from, std::string_view to) {
  constexpr size_t kBlock = 256;
  const size_t most = std::min(from.size(), to.size());
  size_t at = 0;
  while (most - at >= kBlock && from.substr(at, kBlock) == to.substr(at, kBlock)) at += kBlock;
  while (at < most && from[at] == to[at]) ++at;
  const auto within_unit = [](std::string_view text, size_t place) {
    return place < text.size() && ContinuesDiffUnit(text[place]);
  };
  while (at > 0 && (within_unit(from, at) || within_unit(to, at))) --at;
  while (at > 0 && (TearsTextOfDiff(from, at) || TearsTextOfDiff(to, at))) {
    at -= LastDiffUnit(from.substr(0, at)).bytes;
  }
  return at;
}

// Bytes at the end, likewise, that are behind the common start.
size_t CommonEndOfDiff(std::string_view from, std::string_view to, size_t start) {
  constexpr size_t kBlock = 256;
  const size_t most = std::min(from.size(), to.size()) - start;
  size_t count = 0;
  while (most - count >= kBlock && from.substr(from.size() - count - kBlock, kBlock) ==
                                       to.substr(to.size() - count - kBlock, kBlock)) {
    count += kBlock;
  }
  while (count < most && from[from.size() - count - 1] == to[to.size() - count - 1]) ++count;
  while (count > 0 && ContinuesDiffUnit(from[from.size() - count])) --count;
  while (count > 0 &&
         (TearsTextOfDiff(from, from.size() - count) || TearsTextOfDiff(to, to.size() - count))) {
    count -= FirstDiffUnit(from.substr(from.size() - count)).bytes;
  }
  return count;
}

// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the greedy one.
//
// Round d knows for each diagonal k = -d, -d + 2, ..., d how far one gets on it in the old text
// with d differences; k is the place in the old text less that in the new. The rounds lie one after
// the other in `reached_`: d + 1 numbers each.
class DiffSearch {
 public:
  DiffSearch(DiffUnits from, DiffUnits to)
      : from_(from),
        to_(to),
        old_end_(static_cast<int32_t>(from.size())),
        new_end_(static_cast<int32_t>(to.size())) {}

  // Nothing if the limits do not suffice. Call once.
  std::optional<std::vector<DiffSpan>> Run(const TextDiffLimits& limits) {
    uint64_t steps_left = limits.max_steps;
    for (uint32_t round = 0; round <= limits.max_differences; ++round) {
      for (size_t i = 0; i <= round; ++i) {
        if (steps_left == 0) return std::nullopt;
        --steps_left;
        const int32_t diagonal = DiagonalOf(round, i);
        int32_t old_at = round == 0 ? 0 : FirstOn(round, i);
        const int32_t new_at = old_at - diagonal;
        // A way may have left the texts, and goes on outside: it never comes back.
        const int32_t left = std::max(0, std::min(old_end_ - old_at, new_end_ - new_at));
        const auto most =
            static_cast<int32_t>(std::min<uint64_t>(static_cast<uint64_t>(left), steps_left));
        const int32_t equal = CountEqual(old_at, new_at, most);
        steps_left -= static_cast<uint64_t>(equal);
        old_at += equal;
        reached_.push_back(old_at);
        if (old_at == old_end_ && old_at - diagonal == new_end_) return WayBack(round, i);
      }
    }
    return std::nullopt;
  }

 private:
  static int32_t DiagonalOf(uint32_t round, size_t i) {
    return 2 * static_cast<int32_t>(i) - static_cast<int32_t>(round);
  }
  int32_t Reached(uint32_t round, size_t i) const {
    return reached_[static_cast<size_t>(round) * (round + size_t{1}) / 2 + i];
  }

  // Whether this round comes to its diagonal by an insertion, from the diagonal above; else it is
  // by a deletion from the one below, number i - 1 of the round before.
  bool ComesByInsertion(uint32_t round, size_t i) const {
    return i == 0 || (i < round && Reached(round - 1, i - 1) < Reached(round - 1, i));
  }
  // Where in the old text it comes to its diagonal.
  int32_t FirstOn(uint32_t round, size_t i) const {
    return ComesByInsertion(round, i) ? Reached(round - 1, i) : Reached(round - 1, i - 1) + 1;
  }

  int32_t CountEqual(int32_t old_at, int32_t new_at, int32_t most) const {
    if (most == 0) return 0;  // perhaps outside of the texts
    const DiffUnits from = from_.subspan(static_cast<size_t>(old_at), static_cast<size_t>(most));
    const DiffUnits to = to_.subspan(static_cast<size_t>(new_at), static_cast<size_t>(most));
    return static_cast<int32_t>(std::mismatch(from.begin(), from.end(), to.begin()).first -
                                from.begin());
  }

  std::vector<DiffSpan> WayBack(uint32_t round, size_t i) const {
    std::vector<DiffSpan> spans;  // descending
    for (; round > 0; --round) {
      const bool insertion = ComesByInsertion(round, i);
      const auto old_end = static_cast<size_t>(FirstOn(round, i));
      const auto new_end = static_cast<size_t>(FirstOn(round, i) - DiagonalOf(round, i));
      const size_t old_begin = insertion ? old_end : old_end - 1;
      const size_t new_begin = insertion ? new_end - 1 : new_end;
      if (!spans.empty() && spans.back().old_begin == old_end &&
          spans.back().new_begin == new_end) {
        spans.back().old_begin = old_begin;
        spans.back().new_begin = new_begin;
      } else {
        spans.push_back({old_begin, old_end, new_begin, new_end});
      }
      if (!insertion) --i;
    }
    std::reverse(spans.begin(), spans.end());
    return spans;
  }

  DiffUnits from_;
  DiffUnits to_;
  int32_t old_end_;
  int32_t new_end_;
  std::vector<int32_t> reached_;
};

bool TearsUnitsOfDiff(DiffUnits units, size_t at) {
  return at > 0 && at < units.size() && JoinDiffUnits(units[at - 1], units[at]);
}

// Takes in unchanged units until no border tears anything in either text. At the ends of the middle
// none does.
std::vector<DiffSpan> WidenDiffSpans(std::span<const DiffSpan> spans, DiffUnits from,
                                     DiffUnits to) {
  std::vector<DiffSpan> widened;
  const auto tears = [&](size_t old_at, size_t new_at) {
    return TearsUnitsOfDiff(from, old_at) || TearsUnitsOfDiff(to, new_at);
  };
  for (size_t i = 0; i < spans.size(); ++i) {
    DiffSpan span = spans[i];
    const size_t first = widened.empty() ? 0 : widened.back().old_end;
    while (span.old_begin > first && tears(span.old_begin, span.new_begin)) {
      --span.old_begin;
      --span.new_begin;
    }
    const size_t last = i + 1 < spans.size() ? spans[i + 1].old_begin : from.size();
    while (span.old_end < last && tears(span.old_end, span.new_end)) {
      ++span.old_end;
      ++span.new_end;
    }
    if (!widened.empty() && widened.back().old_end == span.old_begin) {
      widened.back().old_end = span.old_end;
      widened.back().new_end = span.new_end;
    } else {
      widened.push_back(span);
    }
  }
  return widened;
}

// The hunks of the middle, if the limits suffice.
std::optional<std::vector<DiffSpan>> DiffMiddle(DiffUnits from, DiffUnits to,
                                                const TextDiffLimits& limits) {
  std::optional<std::vector<DiffSpan>> spans = DiffSearch(from, to).Run(limits);
  if (spans) spans = WidenDiffSpans(*spans, from, to);
  return spans;
}

// Whether the lengths alone say that the limits do not suffice: as many differences as one text is
// longer by, and a step for each of the units that are equal.
bool ExceedsDiffLimits(size_t from, size_t to, const TextDiffLimits& limits) {
  // Places and diagonals are counted in int32_t.
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max() / 2;
  const uint64_t sum = uint64_t{from} + to;
  const uint64_t equal = (sum - std::min<uint64_t>(sum, limits.max_differences)) / 2;
  return std::max(from, to) - std::min(from, to) > limits.max_differences ||
         equal > limits.max_steps || sum > kMost;
}

}  // namespace

TextDiff DiffText(std::string_view from, std::string_view to, const TextDiffLimits& limits) {
  TextDiff diff;
  if (from == to) return diff;
  const size_t start = CommonStartOfDiff(from, to);
  const size_t end = CommonEndOfDiff(from, to, start);
  const size_t at = CountDiffUnits(from.substr(0, start));
  from = from.substr(start, from.size() - start - end);
  to = to.substr(start, to.size() - start - end);
  const size_t old_count = CountDiffUnits(from);
  const size_t new_count = CountDiffUnits(to);

  // One hunk of the whole middle: all that there is to say if one of the texts has nothing there.
  const auto replace = [&] {
    diff.hunks = {{static_cast<uint32_t>(at), static_cast<uint32_t>(old_count), to}};
    diff.differences = static_cast<uint32_t>(old_count + new_count);
    return diff;
  };
  if (from.empty() || to.empty() || ExceedsDiffLimits(old_count, new_count, limits)) {
    return replace();
  }
  const std::vector<char32_t> old_units = DecodeDiffUnits(from, old_count);
  const std::vector<char32_t> new_units = DecodeDiffUnits(to, new_count);
  const std::optional<std::vector<DiffSpan>> spans = DiffMiddle(old_units, new_units, limits);
  if (!spans) return replace();

  size_t unit = 0;
  size_t byte = 0;
  const auto byte_at = [&](size_t place) {
    for (; unit < place; ++unit) byte += BytesOfDiffUnit(new_units[unit]);
    return byte;
  };
  diff.hunks.reserve(spans->size());
  for (const DiffSpan& span : *spans) {
    const size_t first = byte_at(span.new_begin);
    const size_t deleted = span.old_end - span.old_begin;
    diff.hunks.push_back({.at = static_cast<uint32_t>(at + span.old_begin),
                          .deleted = static_cast<uint32_t>(deleted),
                          .inserted = to.substr(first, byte_at(span.new_end) - first)});
    diff.differences += static_cast<uint32_t>(deleted + span.new_end - span.new_begin);
  }
  return diff;
}

}  // namespace cursorwire::crdt
