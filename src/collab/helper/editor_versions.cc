#include "collab/helper/editor_versions.h"

#include <algorithm>
#include <utility>

#include "crdt/text/text_size.h"

namespace cursorwire::collab {
namespace {

constexpr size_t kMapPieceBytes = 12;
// So many differences are looked for in all texts before more are in any: most edits are small.
constexpr uint32_t kFewDifferences = 64;

uint32_t CodePointsIn(std::string_view text) { return crdt::Measure(text).code_points; }

// Whether text was put in or taken out at one place to make `to`, or nothing was done.
bool IsPlain(std::string_view from, std::string_view to) {
  const size_t most = std::min(from.size(), to.size());
  size_t same = 0;
  while (same < most && from[same] == to[same]) ++same;
  size_t same_end = 0;
  while (same_end < most - same &&
         from[from.size() - 1 - same_end] == to[to.size() - 1 - same_end]) {
    ++same_end;
  }
  return same + same_end == most;
}

// Whether it takes text out, and puts text in.
bool Replaces(const crdt::TextDiff& diff) {
  const auto deletes = [](const crdt::TextHunk& hunk) { return hunk.deleted > 0; };
  const auto inserts = [](const crdt::TextHunk& hunk) { return !hunk.inserted.empty(); };
  return std::any_of(diff.hunks.begin(), diff.hunks.end(), deletes) &&
         std::any_of(diff.hunks.begin(), diff.hunks.end(), inserts);
}

}  // namespace

EditorVersions::Version::Version(std::string its_text)
    : text(std::move(its_text)), length(CodePointsIn(text)), map(length) {}

void EditorVersions::Version::Replace(uint32_t at, uint32_t deleted, uint32_t inserted) {
  map.OnReplaced(at, deleted, inserted);
  ++steps;
}

void EditorVersions::Version::MapTo(std::string_view present, const crdt::TextDiffLimits& limits) {
  map = crdt::VersionMap(length);
  steps = 0;
  const crdt::TextDiff diff = crdt::DiffText(text, present, limits);
  for (auto hunk = diff.hunks.rbegin(); hunk != diff.hunks.rend(); ++hunk) {
    Replace(hunk->at, hunk->deleted, CodePointsIn(hunk->inserted));
  }
}

size_t EditorVersions::Version::bytes() const {
  // A step makes one piece more.
  return text.size() + std::min(steps + 1, crdt::VersionMap::kMaxRuns) * kMapPieceBytes;
}

crdt::TextDiffLimits EditorVersions::Limits() const {
  crdt::TextDiffLimits limits;
  limits.max_steps = std::min(limits.max_steps, kMaxSteps / std::max<size_t>(size(), 1));
  return limits;
}

void EditorVersions::OnRewritten(std::string_view present) {
  const crdt::TextDiffLimits limits = Limits();
  if (sent_) sent_->MapTo(present, limits);
  for (Version& version : given_) version.MapTo(present, limits);
}

void EditorVersions::NoteAwake(TimePoint now) {
  const auto note = [now](Version& version) {
    if (version.IsRead(now)) version.until = std::min(version.until, now + kReadTime);
  };
  if (sent_) note(*sent_);
  for (Version& version : given_) note(version);
}

// A later text is there: from now on the others count for a time alone.
void EditorVersions::Supersede(TimePoint now) {
  const auto supersede = [now](Version& version) {
    if (version.superseded) return;
    version.superseded = now;
    version.until = now + kMaxAge;
  };
  if (sent_) supersede(*sent_);
  for (Version& version : given_) supersede(version);
  if (sent_ && sent_->IsGone(now)) sent_.reset();
  std::erase_if(given_, [now](const Version& version) { return version.IsGone(now); });
}

size_t EditorVersions::bytes() const {
  size_t sum = sent_ ? sent_->bytes() : 0;
  for (const Version& version : given_) sum += version.bytes();
  return sum;
}

void EditorVersions::Thin() {
  while (given_.size() > 1 && (size() > kMaxVersions || bytes() > kMaxBytes)) {
    const size_t older = given_.size() / 2;
    if (older == 1) {
      given_.pop_front();
      continue;
    }
    size_t number = 0;
    const auto end = given_.begin() + static_cast<ptrdiff_t>(older);
    const auto kept = std::remove_if(given_.begin(), end,
                                     [&number](const Version&) { return number++ % 2 == 1; });
    given_.erase(kept, end);
  }
}

void EditorVersions::AddGiven(std::string text, TimePoint now, Given how) {
  // The same one again is no other.
  if (!given_.empty() && given_.back().steps == 0 && given_.back().text == text) given_.pop_back();
  Supersede(now);
  given_.emplace_back(std::move(text)).unasked = how == Given::kUnasked;
  Thin();
}

void EditorVersions::AddSent(std::string text, const Comparison& comparison,
                             std::string_view present, TimePoint now) {
  if (comparison.base) {
    given_.erase(given_.begin(), given_.begin() + static_cast<ptrdiff_t>(*comparison.base) + 1);
  }
  sent_.reset();
  Supersede(now);
  sent_.emplace(std::move(text));
  sent_->MapTo(present, {});
  Thin();
}

void EditorVersions::OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted) {
  if (sent_) sent_->Replace(at, deleted, inserted);
  for (Version& version : given_) version.Replace(at, deleted, inserted);
}

// For the version that is nearest to a text; of equally near ones the one that was looked at first.
class EditorVersions::Search {
 public:
  explicit Search(std::string_view text) : text_(text), length_(CodePointsIn(text)) {}

  bool is_near() const { return nearest != nullptr && diff.differences <= kFewDifferences; }

  void LookForFew(const Version& version, std::optional<size_t> base) {
    constexpr uint64_t kSteps = 10000;
    Look(version, base,
         {.max_differences = kFewDifferences, .max_steps = kSteps + 2 * uint64_t{version.length}});
  }
  void Look(const Version& version, std::optional<size_t> base, crdt::TextDiffLimits limits) {
    const uint32_t longer = std::max(version.length, length_) - std::min(version.length, length_);
    if (nearest != nullptr && longer >= diff.differences) return;
    // What has as many as the nearest is not looked at closely.
    if (nearest != nullptr) {
      limits.max_differences = std::min(limits.max_differences, diff.differences - 1);
    }
    crdt::TextDiff found = crdt::DiffText(version.text, text_, limits);
    if (nearest != nullptr && found.differences >= diff.differences) return;
    nearest = &version;
    number = base;
    diff = std::move(found);
  }

  // The first one that is.
  void TakeIfPlain(const Version& version, std::optional<size_t> base) {
    if (has_plain_ || !IsPlain(version.text, text_)) return;
    has_plain_ = true;
    nearest = &version;
    number = base;
  }

  const Version* nearest = nullptr;
  std::optional<size_t> number{};
  crdt::TextDiff diff{};

 private:
  const std::string_view text_;
  const uint32_t length_;
  bool has_plain_ = false;
};

bool EditorVersions::WasOld(std::string_view text, TimePoint now) const {
  const auto is_it = [text, now](const Version& version) {
    return version.IsOld(now) && version.text == text;
  };
  return (sent_ && is_it(*sent_)) || std::any_of(given_.begin(), given_.end(), is_it);
}

bool EditorVersions::MayBeOnItsWay(TimePoint now) const {
  const auto counts = [now](const Version& version) { return !version.IsGone(now); };
  const auto others =
      std::count_if(given_.begin(), given_.end(), counts) + (sent_ && counts(*sent_) ? 1 : 0);
  return others > 1 && std::any_of(given_.begin(), given_.end(), [&](const Version& version) {
           return version.unasked && counts(version);
         });
}

EditorVersions::Comparison EditorVersions::Compare(std::string_view text, TimePoint now) const {
  Comparison comparison;
  const crdt::TextDiffLimits limits = Limits();
  Search search(text);
  // The newest first: of equally near ones it counts.
  const auto each = [&](bool old, const auto& look_at) {
    const auto counts = [now, old](const Version& version) {
      return !version.IsGone(now) && version.IsOld(now) == old;
    };
    for (size_t i = given_.size(); i > 0; --i) {
      if (counts(given_[i - 1])) look_at(given_[i - 1], std::optional<size_t>(i - 1));
    }
    if (sent_ && counts(*sent_)) look_at(*sent_, std::optional<size_t>());
  };
  const auto look = [&](bool old) {
    each(old, [&](const Version& version, auto base) { search.LookForFew(version, base); });
    if (search.is_near()) return;
    each(old, [&](const Version& version, auto base) { search.Look(version, base, limits); });
  };
  look(false);
  // Such an edit, and one that goes back to an old text, is that of somebody who has seen the
  // newest: who was busy and typed meanwhile would have had to take back what others wrote.
  const auto is_plain = [&] {
    return search.nearest != nullptr && IsPlain(search.nearest->text, text);
  };
  if (Replaces(search.diff)) {
    // In doubt what others wrote stays.
    each(false, [&](const Version& version, auto base) { search.TakeIfPlain(version, base); });
  }
  if (!is_plain() && !WasOld(text, now)) look(true);
  if (search.nearest == nullptr) return comparison;
  comparison.base = search.number;
  const crdt::TextDiff least = crdt::DiffText(search.nearest->text, text);
  comparison.is_doubtful = Replaces(least) && MayBeOnItsWay(now);
  for (auto hunk = least.hunks.rbegin(); hunk != least.hunks.rend(); ++hunk) {
    comparison.edits.push_back({.at = search.nearest->map.PlaceOf(hunk->at),
                                .deleted = search.nearest->map.RangesOf(hunk->at, hunk->deleted),
                                .inserted = std::string(hunk->inserted)});
  }
  return comparison;
}

}  // namespace cursorwire::collab
