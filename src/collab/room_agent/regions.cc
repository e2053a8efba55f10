#include "collab/room_agent/regions.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"
#include "crdt/text/text_diff.h"

namespace cursorwire::room_agent {
namespace {

using RegionLines = std::span<const std::string_view>;
using RegionIds = std::span<const uint32_t>;

// Of a line of a region that the text does not have. That two such lines look the same does no
// harm: neither matches a line of the text.
constexpr uint32_t kForeignLine = 0xffffffff;

bool IsBlankRegionLine(std::string_view line) { return Trim(line).empty(); }

bool HasFirmLine(RegionLines lines) {
  return !std::all_of(lines.begin(), lines.end(), IsBlankRegionLine);
}

std::string_view WithoutTrailingBlanks(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// --- where a region fits

// How many elements of `pattern` stand at each place of `text`, from the first on: Z function.
std::vector<uint32_t> PrefixesAt(RegionIds pattern, RegionIds text) {
  std::vector<uint32_t> own(pattern.size());
  // Fills `out` for `of`, whose first place is `begin`, from the lengths of `pattern` in itself.
  const auto fill = [&pattern, &own](RegionIds of, size_t begin, std::vector<uint32_t>& out) {
    size_t left = 0;
    size_t right = 0;  // of the match that reaches farthest
    for (size_t i = begin; i < of.size(); ++i) {
      size_t length = 0;
      if (i < right) length = std::min(right - i, size_t{own[i - left]});
      while (length < pattern.size() && i + length < of.size() &&
             pattern[length] == of[i + length]) {
        ++length;
      }
      out[i] = static_cast<uint32_t>(length);
      if (i + length > right) {
        left = i;
        right = i + length;
      }
    }
  };
  if (pattern.empty() || pattern.front() == kForeignLine) {
    return std::vector<uint32_t>(text.size());
  }
  own[0] = static_cast<uint32_t>(pattern.size());
  fill(pattern, 1, own);
  std::vector<uint32_t> lengths(text.size());
  fill(text, 0, lengths);
  return lengths;
}

// How many elements at the end of `pattern` stand in front of each place of `text`, its end
// included.
std::vector<uint32_t> SuffixesBefore(RegionIds pattern, RegionIds text) {
  const std::vector<uint32_t> back_pattern(pattern.rbegin(), pattern.rend());
  const std::vector<uint32_t> back_text(text.rbegin(), text.rend());
  std::vector<uint32_t> lengths = PrefixesAt(back_pattern, back_text);
  std::reverse(lengths.begin(), lengths.end());
  lengths.insert(lengths.begin(), 0);
  return lengths;
}

// `prefix` lines of a region stand in front of `begin`, and `suffix` lines from `end` on.
struct RegionGap {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct RegionMatch {
  RegionFate fate = RegionFate::kNoContext;
  uint32_t prefix = 0;
  uint32_t suffix = 0;
  RegionGap gap{};  // one of several where it is ambiguous
};

class RegionMatcher {
 public:
  RegionMatcher(RegionIds text, RegionIds region, const SentLines& sent)
      : sent_(sent),
        text_size_(static_cast<uint32_t>(text.size())),
        region_size_(static_cast<uint32_t>(region.size())),
        prefixes_(PrefixesAt(region, text)),
        suffixes_(SuffixesBefore(region, text)) {}

  RegionMatch Match() {
    for (const uint32_t length : prefixes_) match_.prefix = std::max(match_.prefix, length);
    if (match_.prefix == region_size_) {
      match_.fate = RegionFate::kUnchanged;
      match_.gap.begin = PrefixEnds().front();
      return match_;
    }
    if (match_.prefix == 0) return MatchSuffixOnly();
    const std::vector<uint32_t> ends = PrefixEnds();
    const std::vector<uint32_t> last = LastSuffixes();
    const uint32_t first_end = ends.front();
    for (uint32_t s = region_size_ - match_.prefix; s > 0 && match_.suffix == 0; --s) {
      if (last[s] >= first_end + s) match_.suffix = s;
    }
    if (match_.suffix == 0) return MatchPrefixOnly(ends);
    Choose(GapsBehind(ends, last[match_.suffix]));
    return match_;
  }

 private:
  // Where the longest prefix ends, ascending.
  std::vector<uint32_t> PrefixEnds() const {
    std::vector<uint32_t> ends;
    for (uint32_t i = 0; i < prefixes_.size(); ++i) {
      if (prefixes_[i] == match_.prefix) ends.push_back(i + match_.prefix);
    }
    return ends;
  }

  // For each length of a suffix, up to what the prefix leaves: where the last one ends; 0: nowhere.
  std::vector<uint32_t> LastSuffixes() const {
    const uint32_t most = region_size_ - match_.prefix;
    std::vector<uint32_t> last(most + 1);
    for (uint32_t k = 0; k < suffixes_.size(); ++k) last[std::min(suffixes_[k], most)] = k;
    for (uint32_t s = most; s > 0; --s) last[s - 1] = std::max(last[s - 1], last[s]);
    return last;
  }

  // For each prefix the nearest suffix behind it, if there is one.
  std::vector<RegionGap> GapsBehind(const std::vector<uint32_t>& ends, uint32_t last) const {
    std::vector<RegionGap> gaps;
    uint32_t next = last;  // the nearest end of a suffix that is at least at `k`
    uint32_t k = last;
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
      const uint32_t least = *end + match_.suffix;
      if (least > last) continue;
      for (; k >= least; --k) {
        if (suffixes_[k] >= match_.suffix) next = k;
      }
      gaps.push_back({.begin = *end, .end = next - match_.suffix});
    }
    std::reverse(gaps.begin(), gaps.end());
    return gaps;
  }

  bool WasSent(const RegionGap& gap) const {
    return gap.begin - match_.prefix + 1 >= sent_.first && gap.end + match_.suffix <= sent_.last;
  }

  void Choose(const std::vector<RegionGap>& gaps) {
    match_.fate = RegionFate::kReplace;
    match_.gap = gaps.front();
    if (gaps.size() == 1) return;
    match_.fate = RegionFate::kAmbiguous;
    std::vector<RegionGap> sent;
    for (const RegionGap& gap : gaps) {
      if (WasSent(gap)) sent.push_back(gap);
    }
    if (!sent.empty()) match_.gap = sent.front();
    if (sent.size() == 1) match_.fate = RegionFate::kReplace;
  }

  RegionMatch MatchPrefixOnly(const std::vector<uint32_t>& ends) {
    std::vector<RegionGap> gaps;
    gaps.reserve(ends.size());
    for (const uint32_t end : ends) gaps.push_back({.begin = end, .end = end});
    Choose(gaps);
    if (match_.fate != RegionFate::kReplace) return match_;
    const uint32_t most = region_size_ - match_.prefix;
    uint32_t before = 0;  // of the region's end, in front of its beginning
    for (uint32_t k = 0; k + match_.prefix <= match_.gap.begin; ++k) {
      before = std::max(before, std::min(suffixes_[k], most));
    }
    if (match_.gap.begin != text_size_ || before >= match_.prefix) {
      match_.fate = RegionFate::kNotFound;
    }
    return match_;
  }

  RegionMatch MatchSuffixOnly() {
    for (const uint32_t length : suffixes_) match_.suffix = std::max(match_.suffix, length);
    if (match_.suffix == 0) return match_;
    std::vector<RegionGap> gaps;
    for (uint32_t k = 0; k < suffixes_.size(); ++k) {
      if (suffixes_[k] != match_.suffix) continue;
      gaps.push_back({.begin = k - match_.suffix, .end = k - match_.suffix});
    }
    Choose(gaps);
    if (match_.fate == RegionFate::kReplace && match_.gap.begin != 0) {
      match_.fate = RegionFate::kNotFound;
    }
    return match_;
  }

  const SentLines& sent_;
  const uint32_t text_size_;
  const uint32_t region_size_;
  const std::vector<uint32_t> prefixes_;
  const std::vector<uint32_t> suffixes_;
  RegionMatch match_;
};

// Lines of a text as numbers.
class NumberedText {
 public:
  using Form = std::string_view (*)(std::string_view);

  NumberedText(RegionLines lines, Form form) : form_(form) {
    ids_.reserve(lines.size());
    for (const std::string_view line : lines) {
      const auto next = static_cast<uint32_t>(numbers_.size());
      ids_.push_back(numbers_.try_emplace(form(line), next).first->second);
    }
  }

  const std::vector<uint32_t>& ids() const { return ids_; }
  size_t distinct() const { return numbers_.size(); }
  std::vector<uint32_t> NumbersOf(RegionLines lines) const {
    std::vector<uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const std::string_view line : lines) {
      const auto found = numbers_.find(form_(line));
      numbers.push_back(found == numbers_.end() ? kForeignLine : found->second);
    }
    return numbers;
  }

 private:
  const Form form_;
  absl::flat_hash_map<std::string_view, uint32_t> numbers_;
  std::vector<uint32_t> ids_;
};

std::string_view AsItIs(std::string_view line) { return line; }

std::string JoinedLines(RegionLines lines) {
  std::string joined;
  for (const std::string_view line : lines) joined.append(line).append("\n");
  return joined;
}

// --- a whole text

// Lines as characters of the private plane 15, which crdt::DiffText() compares one by one.
constexpr uint32_t kMaxDiffLines = 0xfffd;
constexpr size_t kBytesOfDiffLine = 4;

std::string AsDiffText(RegionIds ids) {
  std::string text;
  text.reserve(ids.size() * kBytesOfDiffLine);
  for (const uint32_t id : ids) {
    const uint32_t value = 0xf0000 + std::min(id, kMaxDiffLines);
    text += static_cast<char>(0xf0 | (value >> 18));
    text += static_cast<char>(0x80 | ((value >> 12) & 0x3f));
    text += static_cast<char>(0x80 | ((value >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (value & 0x3f));
  }
  return text;
}

std::vector<RegionEdit> DiffLines(RegionIds before, RegionIds after, RegionLines lines) {
  const std::string from = AsDiffText(before);
  const std::string to = AsDiffText(after);
  std::vector<RegionEdit> edits;
  for (const crdt::TextHunk& hunk : crdt::DiffText(from, to).hunks) {
    const size_t first =
        hunk.inserted.empty()
            ? 0
            : static_cast<size_t>(hunk.inserted.data() - to.data()) / kBytesOfDiffLine;
    edits.push_back(
        {.first = hunk.at + 1,
         .count = hunk.deleted,
         .lines = JoinedLines(lines.subspan(first, hunk.inserted.size() / kBytesOfDiffLine))});
  }
  return edits;
}

// --- all regions of an answer

class RegionLocator {
 public:
  RegionLocator(std::string_view text, const SentLines& sent)
      : sent_(sent), lines_(LinesOf(text)), exact_(lines_, AsItIs) {}

  RegionPlace Locate(const Region& region, bool is_only) {
    RegionMatch match = MatchIn(exact_, region);
    if (!IsSettled(match.fate)) {
      if (!trimmed_) trimmed_.emplace(lines_, WithoutTrailingBlanks);
      const RegionMatch again = MatchIn(*trimmed_, region);
      if (IsSettled(again.fate) || match.fate == RegionFate::kNoContext) match = again;
    }
    if (match.fate == RegionFate::kNoContext && is_only && sent_.whole) return Whole(region);
    RegionPlace place = PlaceOf(match, region);
    if (place.fate == RegionFate::kReplace) RefuseOverlap(place);
    return place;
  }

 private:
  static bool IsSettled(RegionFate fate) {
    return fate != RegionFate::kNoContext && fate != RegionFate::kNotFound;
  }

  RegionMatch MatchIn(const NumberedText& text, const Region& region) {
    steps_ += 2 * (lines_.size() + region.lines.size());
    if (steps_ > kMaxRegionSteps) return {.fate = RegionFate::kTooMuch};
    return RegionMatcher(text.ids(), text.NumbersOf(region.lines), sent_).Match();
  }

  static RegionPlace PlaceOf(const RegionMatch& match, const Region& region) {
    const RegionLines lines = region.lines;
    RegionPlace place{.fate = match.fate, .above = match.prefix, .below = match.suffix};
    if (match.prefix > 0) {
      place.line = match.gap.begin;
    } else if (match.suffix > 0) {
      place.line = match.gap.end + 1;
    }
    if (match.fate != RegionFate::kReplace) return place;
    place.is_firm = HasFirmLine(lines.first(match.prefix)) && HasFirmLine(lines.last(match.suffix));
    place.edits.push_back({.first = match.gap.begin + 1,
                           .count = match.gap.end - match.gap.begin,
                           .lines = JoinedLines(lines.subspan(
                               match.prefix, lines.size() - match.prefix - match.suffix))});
    return place;
  }

  void RefuseOverlap(RegionPlace& place) {
    const RegionEdit& edit = place.edits.front();
    const uint64_t begin = edit.first;
    const uint64_t end = begin + edit.count;
    for (const auto& [other_begin, other_end] : taken_) {
      const bool same_insert = begin == end && other_begin == other_end && begin == other_begin;
      if (!same_insert && (begin >= other_end || other_begin >= end)) continue;
      place.fate = RegionFate::kOverlap;
      place.edits.clear();
      return;
    }
    taken_.emplace_back(begin, end);
  }

  // A new text for the old one. A single line that both have is asked for: else the answer may be
  // anything, such as an excuse. Nothing is lost where there is only the prompt.
  RegionPlace Whole(const Region& region) const {
    const std::vector<uint32_t> numbers = exact_.NumbersOf(region.lines);
    RegionPlace place{.fate = RegionFate::kNoContext};
    if (!HasCommonLine(region, numbers) && !IsOnlyPrompt()) return place;
    if (lines_.size() > kMinPartLines && region.lines.size() * 2 < lines_.size()) {
      place.fate = RegionFate::kLooksLikeAPart;
      return place;
    }
    if (exact_.distinct() >= kMaxDiffLines) {
      place.fate = RegionFate::kTooMuch;
      return place;
    }
    place.edits = DiffLines(exact_.ids(), numbers, region.lines);
    place.fate = place.edits.empty() ? RegionFate::kUnchanged : RegionFate::kReplace;
    if (!place.edits.empty()) place.line = place.edits.front().first;
    return place;
  }

  bool HasCommonLine(const Region& region, RegionIds numbers) const {
    const uint32_t prompt = sent_.prompt > 0 && sent_.prompt <= lines_.size()
                                ? exact_.ids()[sent_.prompt - 1]
                                : kForeignLine;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == kForeignLine || numbers[i] == prompt) continue;
      if (!IsBlankRegionLine(region.lines[i])) return true;
    }
    return false;
  }

  bool IsOnlyPrompt() const {
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (i + 1 != sent_.prompt && !IsBlankRegionLine(lines_[i])) return false;
    }
    return true;
  }

  const SentLines sent_;
  const std::vector<std::string_view> lines_;
  const NumberedText exact_;
  std::optional<NumberedText> trimmed_;
  std::vector<std::pair<uint64_t, uint64_t>> taken_;  // ranges of lines, the end exclusive
  uint64_t steps_ = 0;
};

}  // namespace

std::string_view ReasonOf(RegionFate fate) {
  switch (fate) {
    case RegionFate::kReplace:
      return "applied";
    case RegionFate::kUnchanged:
      return "unchanged";
    case RegionFate::kAmbiguous:
      return "ambiguous";
    case RegionFate::kNoContext:
      return "no context";
    case RegionFate::kNotFound:
      return "not found";
    case RegionFate::kOverlap:
      return "overlap";
    case RegionFate::kLooksLikeAPart:
      return "looks like a part";
    case RegionFate::kTooMuch:
      return "too large";
  }
  return "";
}

std::vector<RegionPlace> LocateRegions(std::string_view text, const std::vector<Region>& regions,
                                       const SentLines& sent) {
  std::vector<RegionPlace> places;
  RegionLocator locator(text, sent);
  places.reserve(regions.size());
  for (const Region& region : regions) {
    places.push_back(locator.Locate(region, regions.size() == 1));
  }
  return places;
}

}  // namespace cursorwire::room_agent
