#include "collab/helper/editor_versions.h"

#include <algorithm>
#include <utility>

#include "crdt/text/text_diff.h"
#include "crdt/text/text_size.h"

namespace cursorwire::collab {
namespace {

uint32_t CodePointsIn(std::string_view text) { return crdt::Measure(text).code_points; }

}  // namespace

crdt::VersionMap EditorVersions::MapTo(std::string_view former, std::string_view present) {
  crdt::VersionMap map(CodePointsIn(former));
  const crdt::TextDiff diff = crdt::DiffText(former, present);
  for (auto hunk = diff.hunks.rbegin(); hunk != diff.hunks.rend(); ++hunk) {
    map.OnReplaced(hunk->at, hunk->deleted, CodePointsIn(hunk->inserted));
  }
  return map;
}

void EditorVersions::OnRewritten(std::string_view present) {
  if (sent_) sent_->map = MapTo(sent_->text, present);
  for (Version& version : given_) version.map = MapTo(version.text, present);
}

// A later text is there: from now on the others count for a time alone.
void EditorVersions::Supersede(TimePoint now) {
  if (sent_ && !sent_->superseded) sent_->superseded = now;
  for (Version& version : given_) {
    if (!version.superseded) version.superseded = now;
  }
  if (sent_ && IsTooOld(*sent_, now)) sent_.reset();
  std::erase_if(given_, [now](const Version& version) { return IsTooOld(version, now); });
}

void EditorVersions::AddGiven(std::string text, TimePoint now) {
  Supersede(now);
  const uint32_t length = CodePointsIn(text);
  given_.push_back({.text = std::move(text), .map = crdt::VersionMap(length)});
  if (given_.size() > kMaxVersions) given_.pop_front();
}

void EditorVersions::AddSent(std::string text, const Comparison& comparison,
                             std::string_view present, TimePoint now) {
  if (comparison.base) {
    given_.erase(given_.begin(), given_.begin() + static_cast<ptrdiff_t>(*comparison.base) + 1);
  }
  sent_.reset();
  Supersede(now);
  crdt::VersionMap map = MapTo(text, present);
  sent_ = Version{.text = std::move(text), .map = std::move(map)};
}

void EditorVersions::OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted) {
  if (sent_) sent_->map.OnReplaced(at, deleted, inserted);
  for (Version& version : given_) version.map.OnReplaced(at, deleted, inserted);
}

EditorVersions::Comparison EditorVersions::Compare(std::string_view text, TimePoint now) const {
  Comparison comparison;
  const Version* nearest = nullptr;
  crdt::TextDiff least;
  const auto look = [&](const Version& version, std::optional<size_t> base) {
    if (IsTooOld(version, now)) return;
    crdt::TextDiff diff = crdt::DiffText(version.text, text);
    if (nearest != nullptr && diff.differences >= least.differences) return;
    nearest = &version;
    comparison.base = base;
    least = std::move(diff);
  };
  // The newest first: of equally near ones it counts.
  for (size_t i = given_.size(); i > 0; --i) look(given_[i - 1], i - 1);
  if (sent_) look(*sent_, std::nullopt);
  for (auto hunk = least.hunks.rbegin(); hunk != least.hunks.rend(); ++hunk) {
    comparison.edits.push_back({.at = nearest->map.PlaceOf(hunk->at),
                                .deleted = nearest->map.RangesOf(hunk->at, hunk->deleted),
                                .inserted = std::string(hunk->inserted)});
  }
  return comparison;
}

}  // namespace cursorwire::collab
