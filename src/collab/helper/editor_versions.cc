#include "collab/helper/editor_versions.h"

#include <utility>

#include "crdt/text/text_diff.h"
#include "crdt/text/text_size.h"

namespace cursorwire::collab {
namespace {

uint32_t CodePointsIn(std::string_view text) { return crdt::Measure(text).code_points; }

}  // namespace

void EditorVersions::Push(Version version, TimePoint now) {
  if (!versions_.empty()) versions_.back().superseded = now;
  if (versions_.size() >= kMaxVersions) versions_.pop_front();
  versions_.push_back(std::move(version));
  while (versions_.front().superseded && *versions_.front().superseded + kMaxAge < now) {
    versions_.pop_front();
  }
}

void EditorVersions::Add(std::string text, TimePoint now) {
  const uint32_t length = CodePointsIn(text);
  Push({.text = std::move(text), .map = crdt::VersionMap(length)}, now);
}

void EditorVersions::AddSent(std::string text, std::string_view present, TimePoint now) {
  crdt::VersionMap map(CodePointsIn(text));
  const crdt::TextDiff diff = crdt::DiffText(text, present);
  for (auto hunk = diff.hunks.rbegin(); hunk != diff.hunks.rend(); ++hunk) {
    map.OnReplaced(hunk->at, hunk->deleted, CodePointsIn(hunk->inserted));
  }
  // What the editor had before it wrote this is no text that it may still have.
  versions_.clear();
  Push({.text = std::move(text), .map = std::move(map)}, now);
}

void EditorVersions::OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted) {
  for (Version& version : versions_) version.map.OnReplaced(at, deleted, inserted);
}

std::vector<EditorEdit> EditorVersions::Compare(std::string_view text, TimePoint now) const {
  const Version* nearest = nullptr;
  crdt::TextDiff least;
  // The newest first: of equally near ones it counts.
  for (auto version = versions_.rbegin(); version != versions_.rend(); ++version) {
    if (version->superseded && *version->superseded + kMaxAge < now) break;
    crdt::TextDiff diff = crdt::DiffText(version->text, text);
    if (nearest != nullptr && diff.differences >= least.differences) continue;
    nearest = &*version;
    least = std::move(diff);
    if (least.differences == 0) break;
  }
  std::vector<EditorEdit> edits;
  if (nearest == nullptr) return edits;
  for (auto hunk = least.hunks.rbegin(); hunk != least.hunks.rend(); ++hunk) {
    edits.push_back({.at = nearest->map.PlaceOf(hunk->at),
                     .deleted = nearest->map.RangesOf(hunk->at, hunk->deleted),
                     .inserted = std::string(hunk->inserted)});
  }
  return edits;
}

}  // namespace cursorwire::collab
