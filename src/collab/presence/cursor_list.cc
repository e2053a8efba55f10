#include "collab/presence/cursor_list.h"

#include <algorithm>

namespace cursorwire::collab {
namespace {

using automerge::OpId;
using automerge::TextField;
using crdt::Unit;

constexpr size_t kMaxSendersOfPeer = 8;

}  // namespace

bool CursorList::Add(Cursor cursor, const std::string& sender, const TextField& text,
                     TimePoint now) {
  if (cursor.peer_id == own_peer_id_) return false;
  if (!entries_.contains(cursor.peer_id) && entries_.size() >= kMaxCursors) return false;
  Entry& entry = entries_[cursor.peer_id];
  const auto [timestamp, added] = entry.timestamps.try_emplace(sender, cursor.timestamp);
  if (!added && cursor.timestamp < timestamp->second) return false;
  timestamp->second = cursor.timestamp;
  if (entry.timestamps.size() > kMaxSendersOfPeer) entry.timestamps = {{sender, cursor.timestamp}};
  entry.element = text.ElementAt(Unit::kUtf16, cursor.position);
  entry.anchor_element = OpId();
  if (cursor.anchor) entry.anchor_element = text.ElementAt(Unit::kUtf16, *cursor.anchor);
  entry.cursor = std::move(cursor);
  entry.received = now;
  return true;
}

ShownCursor CursorList::Show(const Entry& entry, const TextField& text) const {
  ShownCursor shown{.cursor = entry.cursor};
  shown.cursor.timestamp = 0;
  shown.cursor.position = text.PositionOf(entry.element).In(unit_);
  if (entry.cursor.anchor) shown.cursor.anchor = text.PositionOf(entry.anchor_element).In(unit_);
  if (shown.cursor.anchor == shown.cursor.position) shown.cursor.anchor.reset();
  shown.hidden = text.IsLineEnd(text.ElementAt(unit_, shown.cursor.position));
  return shown;
}

std::vector<ShownCursor> CursorList::TakeChanged(const TextField& text) {
  std::vector<ShownCursor> changed;
  for (auto& [peer_id, entry] : entries_) {
    ShownCursor shown = Show(entry, text);
    if (entry.shown == shown) continue;
    entry.shown = shown;
    changed.push_back(std::move(shown));
  }
  return changed;
}

std::vector<std::string> CursorList::TakeStale(TimePoint now) {
  std::vector<std::string> stale;
  std::erase_if(entries_, [&stale, now](const auto& entry) {
    if (now < entry.second.received + kStaleAfter) return false;
    if (entry.second.shown) stale.push_back(entry.first);
    return true;
  });
  return stale;
}

std::optional<CursorList::TimePoint> CursorList::deadline() const {
  std::optional<TimePoint> first;
  for (const auto& [peer_id, entry] : entries_) {
    if (!first || entry.received + kStaleAfter < *first) first = entry.received + kStaleAfter;
  }
  return first;
}

}  // namespace cursorwire::collab
