#ifndef CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_LIST_H_
#define CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_LIST_H_

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collab/presence/cursor.h"
#include "crdt/automerge/operation.h"
#include "crdt/automerge/text_field.h"
#include "crdt/text/text_size.h"

namespace cursorwire::collab {

// A cursor of somebody else as it is shown now.
struct ShownCursor {
  // Its places are in the units of the list.
  Cursor cursor{};
  // It stands at a line end, where its line is not clear: a mark is not drawn, a selection is.
  bool hidden = false;

  friend bool operator==(const ShownCursor&, const ShownCursor&) = default;
};

// The cursors of others in one text. Each stays at its character while the text changes around it,
// and goes 10 s after its last message. While the text stays as it is, a message costs the same
// however many there are, but for the way to find one. No clock: times come in. Thread-compatible.
class CursorList {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kStaleAfter{10000};
  static constexpr size_t kMaxCursors = 1000;

  // `own_peer_id`: that one is not shown.
  CursorList(std::string own_peer_id, crdt::Unit unit)
      : own_peer_id_(std::move(own_peer_id)), unit_(unit) {}

  // Takes a message of `sender`. False where it is not shown: our own, older than the last one of
  // this sender and peer, or above the bound.
  bool Add(Cursor cursor, const std::string& sender, const automerge::TextField& text,
           TimePoint now);

  // To be called after each change of the text: each cursor may be somewhere else now.
  void OnTextChanged() { text_changed_ = true; }
  // Those that are new, or are shown in another way than at the last call, by their peer ids.
  std::vector<ShownCursor> TakeChanged(const automerge::TextField& text);
  // The peer ids of those that were shown and have gone by now, in their order.
  std::vector<std::string> TakeStale(TimePoint now);
  // When the next one goes.
  std::optional<TimePoint> deadline() const;

 private:
  struct Entry {
    Cursor cursor{};
    // The characters right of it and of its anchor; none: the end.
    automerge::OpId element{};
    automerge::OpId anchor_element{};
    std::map<std::string, int64_t> timestamps{};  // of the last message, by sender
    TimePoint received{};
    std::optional<ShownCursor> shown{};
  };

  ShownCursor Show(const Entry& entry, const automerge::TextField& text) const;

  const std::string own_peer_id_;
  const crdt::Unit unit_;
  std::map<std::string, Entry> entries_;  // by peer id
  // When the last message of each came, and its peer id.
  std::set<std::pair<TimePoint, std::string>> receipts_;
  // The peer ids of those that may be shown in another way than at the last TakeChanged(), unless
  // the text has changed: then it is all of them.
  std::set<std::string> heard_;
  bool text_changed_ = false;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_LIST_H_
