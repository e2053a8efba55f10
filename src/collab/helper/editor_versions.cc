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

struct Middles {
  std::string_view from;
  std::string_view to;
};
// Without the common start and the common end.
Middles MiddlesOf(std::string_view from, std::string_view to) {
  const size_t most = std::min(from.size(), to.size());
  size_t same = 0;
  while (same < most && from[same] == to[same]) ++same;
  size_t same_end = 0;
  while (same_end < most - same &&
         from[from.size() - 1 - same_end] == to[to.size() - 1 - same_end]) {
    ++same_end;
  }
  return {.from = from.substr(same, from.size() - same - same_end),
          .to = to.substr(same, to.size() - same - same_end)};
}

// Whether text was put in or taken out at one place to make `to`, or nothing was done.
bool IsPlain(std::string_view from, std::string_view to) {
  const Middles middles = MiddlesOf(from, to);
  return middles.from.empty() || middles.to.empty();
}

// The same, or a word was replaced: by one that has nothing in common with it.
bool IsAtOnePlace(std::string_view from, std::string_view to) {
  constexpr size_t kMaxWordBytes = 64;
  const Middles middles = MiddlesOf(from, to);
  if (middles.from.empty() || middles.to.empty()) return true;
  return std::max(middles.from.size(), middles.to.size()) <= kMaxWordBytes &&
         middles.from.find_first_of(middles.to) == std::string_view::npos;
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
  // The same one again is no other, unless the editor may have typed in between.
  if (!given_.empty() && !given_.back().superseded && given_.back().steps == 0 &&
      given_.back().text == text) {
    given_.pop_back();
  }
  Supersede(now);
  given_.emplace_back(std::move(text)).asked = how == Given::kAsked;
  Thin();
}

void EditorVersions::AddSent(std::string text, const Comparison& comparison,
                             std::string_view present, TimePoint now) {
  if (comparison.likely_read > 0) AddFormer(given_[comparison.likely_read - 1].text, now);
  if (sent_) AddFormer(sent_->text, now);
  for (size_t i = 0; i < comparison.likely_read; ++i) given_[i].likely_read = true;
  given_.erase(given_.begin(), given_.begin() + static_cast<ptrdiff_t>(comparison.read));
  sent_.reset();
  Supersede(now);
  sent_.emplace(std::move(text));
  sent_->MapTo(present, {});
  Thin();
}

bool EditorVersions::WillHave(std::string_view text) const {
  // One that was given before the editor sent its text may be read before or after that.
  const bool is_after_sent = !given_.empty() && !given_.back().superseded;
  return !empty() && (given_.empty() || given_.back().text == text) &&
         (!sent_ || is_after_sent || sent_->text == text);
}

void EditorVersions::OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted) {
  if (sent_) sent_->Replace(at, deleted, inserted);
  for (Version& version : given_) version.Replace(at, deleted, inserted);
}

void EditorVersions::OnChanged(const crdt::VersionMap& change, size_t steps) {
  const auto follow = [&change, steps](Version& version) {
    version.map.OnChanged(change);
    version.steps += steps;
  };
  if (sent_) follow(*sent_);
  for (Version& version : given_) follow(version);
}

// For the version that is nearest to a text; of equally near ones, the one that differs in fewest
// places, since people type at one; of those, the one that was looked at first.
// A version's place is how many texts were given up to it, itself included; what the editor had
// sent has place 0.
class EditorVersions::Search {
 public:
  explicit Search(std::string_view text) : text_(text), length_(CodePointsIn(text)) {}

  bool is_near() const { return nearest != nullptr && diff.differences <= kFewDifferences; }

  void LookForFew(const Version& version, size_t at) {
    constexpr uint64_t kSteps = 10000;
    Look(version, at,
         {.max_differences = kFewDifferences, .max_steps = kSteps + 2 * uint64_t{version.length}});
  }
  void Look(const Version& version, size_t at, crdt::TextDiffLimits limits) {
    const uint32_t longer = std::max(version.length, length_) - std::min(version.length, length_);
    if (nearest != nullptr && longer > diff.differences) return;
    // What has more than the nearest is not looked at closely.
    if (nearest != nullptr) {
      limits.max_differences = std::min(limits.max_differences, diff.differences);
    }
    crdt::TextDiff found = crdt::DiffText(version.text, text_, limits);
    const bool is_nearer = nearest == nullptr || found.differences < diff.differences;
    if (!is_nearer && found.differences > diff.differences) return;
    oldest = is_nearer ? at : std::min(oldest, at);
    if (!is_nearer && found.hunks.size() >= diff.hunks.size()) return;
    nearest = &version;
    place = at;
    diff = std::move(found);
  }

  // The first one that is.
  void TakeIfPlain(const Version& version, size_t at) {
    if (has_plain_ || !IsPlain(version.text, text_)) return;
    has_plain_ = true;
    nearest = &version;
    place = at;
  }

  void TakeOldest(const Version& version) {
    nearest = &version;
    place = 0;
    oldest = 0;
  }

  const Version* nearest = nullptr;
  size_t place = 0;
  size_t oldest = 0;  // of those that are as near
  crdt::TextDiff diff{};

 private:
  const std::string_view text_;
  const uint32_t length_;
  bool has_plain_ = false;
};

void EditorVersions::AddFormer(const std::string& text, TimePoint now) {
  former_bytes_ += text.size();
  former_.push_back({.until = now + kReadTime, .text = text});
  while (!former_.empty() && (former_.front().until < now || former_.size() > kMaxFormer ||
                              former_bytes_ > kMaxFormerBytes)) {
    former_bytes_ -= former_.front().text.size();
    former_.pop_front();
  }
}

bool EditorVersions::TakesBack(std::string_view text, TimePoint now) const {
  return text != sent_->text && IsPlain(sent_->text, text) &&
         std::any_of(former_.begin(), former_.end(), [text, now](const Former& former) {
           return former.until >= now && former.text == text;
         });
}

bool EditorVersions::WasOld(std::string_view text, TimePoint now) const {
  const auto is_it = [text, now](const Version& version) {
    return version.IsOld(now) && version.text == text;
  };
  return (sent_ && is_it(*sent_)) || std::any_of(given_.begin(), given_.end(), is_it);
}

EditorVersions::Comparison EditorVersions::Compare(std::string_view text, TimePoint now) const {
  Comparison comparison;
  const crdt::TextDiffLimits limits = Limits();
  Search search(text);
  // The newest first.
  const auto each = [&](const auto& counts, const auto& look_at) {
    for (size_t i = given_.size(); i > 0; --i) {
      if (counts(given_[i - 1])) look_at(given_[i - 1], i);
    }
    if (sent_ && counts(*sent_)) look_at(*sent_, 0);
  };
  const auto is_new = [now](const Version& version) {
    return !version.IsGone(now) && !version.IsOld(now);
  };
  const auto is_old = [now](const Version& version) {
    return !version.IsGone(now) && version.IsOld(now);
  };
  const auto look = [&](const auto& counts) {
    each(counts, [&](const Version& version, size_t at) { search.LookForFew(version, at); });
    if (search.is_near()) return;
    each(counts, [&](const Version& version, size_t at) { search.Look(version, at, limits); });
  };
  look(is_new);
  // Such an edit, and one that goes back to an old text, is that of somebody who has seen the
  // newest: who was busy and typed meanwhile would have had to take back what others wrote.
  const auto is_plain = [&] {
    return search.nearest != nullptr && IsPlain(search.nearest->text, text);
  };
  if (Replaces(search.diff)) {
    // In doubt what others wrote stays.
    each(is_new, [&](const Version& version, size_t at) { search.TakeIfPlain(version, at); });
  }
  // Even where a text of somebody else, who has typed less, is nearer.
  if (search.diff.differences > 0 && sent_ && is_new(*sent_) && TakesBack(text, now)) {
    search.TakeOldest(*sent_);
  }
  if (!is_plain() && !WasOld(text, now)) look(is_old);
  if (search.nearest == nullptr) return comparison;
  const crdt::TextDiff least = crdt::DiffText(search.nearest->text, text);
  for (auto hunk = least.hunks.rbegin(); hunk != least.hunks.rend(); ++hunk) {
    comparison.edits.push_back({.at = search.nearest->map.PlaceOf(hunk->at),
                                .deleted = search.nearest->map.RangesOf(hunk->at, hunk->deleted),
                                .inserted = std::string(hunk->inserted)});
  }
  // The editor may have made it of an older version too, of which it is as near, or at one place.
  // An edit that does nothing, or takes out and puts in, says too little: it may be of any version.
  const bool may_be_any = least.hunks.empty() || Replaces(least);
  const auto explains = [&](const Version& version) {
    return may_be_any ? !version.IsGone(now) : is_new(version) && IsAtOnePlace(version.text, text);
  };
  comparison.likely_read = search.place;
  comparison.read = std::min(search.place, search.oldest);
  each(explains,
       [&](const Version&, size_t at) { comparison.read = std::min(comparison.read, at); });
  // An editor that has asked for a text waits for it.
  for (size_t i = comparison.read; i < search.place; ++i) {
    if (given_[i].asked) comparison.read = i + 1;
  }
  return comparison;
}

}  // namespace cursorwire::collab
