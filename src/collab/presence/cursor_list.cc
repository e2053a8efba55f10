#include "collab/presence/cursor_list.h"

#include <algorithm>
#include <utility>

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
  receipts_.erase({entry.received, cursor.peer_id});
  receipts_.emplace(now, cursor.peer_id);
  entry.received = now;
  heard_.insert(cursor.peer_id);
  entry.cursor = std::move(cursor);
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
  const auto look = [&](Entry& entry) {
    ShownCursor shown = Show(entry, text);
    if (entry.shown == shown) return;
    entry.shown = shown;
    changed.push_back(std::move(shown));
  };
  if (std::exchange(text_changed_, false)) {
    for (auto& [peer_id, entry] : entries_) look(entry);
  } else {
    for (const std::string& peer_id : heard_) look(entries_.at(peer_id));
  }
  heard_.clear();
  return changed;
}

std::vector<std::string> CursorList::TakeStale(TimePoint now) {
  std::vector<std::string> stale;
  while (!receipts_.empty() && receipts_.begin()->first + kStaleAfter <= now) {
    const auto entry = entries_.find(receipts_.begin()->second);
    if (entry->second.shown) stale.push_back(entry->first);
    heard_.erase(entry->first);
    entries_.erase(entry);
    receipts_.erase(receipts_.begin());
  }
  std::sort(stale.begin(), stale.end());
  return stale;
}

std::optional<CursorList::TimePoint> CursorList::deadline() const {
  if (receipts_.empty()) return std::nullopt;
  return receipts_.begin()->first + kStaleAfter;
}

}  // namespace cursorwire::collab
