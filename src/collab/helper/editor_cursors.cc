#include "collab/helper/editor_cursors.h"

#include <utility>

namespace cursorwire::collab {

using automerge::OpId;
using crdt::Unit;

EditorCursor EditorCursors::Show(const Entry& entry, const automerge::TextField& text) const {
  const auto place = [this, &text](OpId element) { return text.PositionOf(element).In(unit_); };
  EditorCursor shown = entry.shown;
  if (shown.anchor) shown.anchor = place(entry.anchor);
  if (shown.head) shown.head = place(entry.head);
  return shown;
}

std::optional<EditorCursor> EditorCursors::Set(const RelayUser& user,
                                               const automerge::TextField& text) {
  const auto [place, is_new] = entries_.try_emplace(user.id);
  Entry& entry = place->second;
  const EditorCursor before = entry.shown;
  entry.shown = {.user_id = user.id,
                 .name = user.name,
                 .color = user.color,
                 .anchor = user.anchor,
                 .head = user.head};
  const auto element = [&text](std::optional<uint32_t> utf16) {
    return utf16 ? text.ElementAt(Unit::kUtf16, *utf16) : OpId();
  };
  entry.anchor = element(user.anchor);
  entry.head = element(user.head);
  entry.shown = Show(entry, text);
  if (!is_new && entry.shown == before) return std::nullopt;
  return entry.shown;
}

std::optional<EditorCursor> EditorCursors::Remove(const std::string& user_id) {
  const auto place = entries_.find(user_id);
  if (place == entries_.end()) return std::nullopt;
  EditorCursor shown = std::move(place->second.shown);
  entries_.erase(place);
  return shown;
}

void EditorCursors::Clear() {
  entries_.clear();
  moved_ = false;
}

void EditorCursors::OnChangedByEditor(const automerge::TextField& text) {
  if (moved_) return;  // those whom others have moved too are told of soon
  for (auto& [id, entry] : entries_) entry.shown = Show(entry, text);
}

std::optional<EditorCursors::TimePoint> EditorCursors::deadline() const {
  if (!moved_) return std::nullopt;
  return told_ ? *told_ + kMoveInterval : TimePoint();
}

std::vector<EditorCursor> EditorCursors::TakeMoved(const automerge::TextField& text,
                                                   TimePoint now) {
  std::vector<EditorCursor> moved;
  const std::optional<TimePoint> due = deadline();
  if (!due || now < *due) return moved;
  moved_ = false;
  for (auto& [id, entry] : entries_) {
    EditorCursor shown = Show(entry, text);
    if (shown == entry.shown) continue;
    entry.shown = shown;
    moved.push_back(std::move(shown));
  }
  if (!moved.empty()) told_ = now;
  return moved;
}

}  // namespace cursorwire::collab
