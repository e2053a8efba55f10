#ifndef CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_CURSORS_H_
#define CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_CURSORS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collab/awareness/relay_session.h"
#include "crdt/automerge/operation.h"
#include "crdt/automerge/text_field.h"
#include "crdt/text/text_size.h"

namespace cursorwire::collab {

// A cursor of somebody else, in the offsets of the editor. No anchor: the place is not known. No
// head: nothing is selected.
struct EditorCursor {
  std::string user_id{};
  std::string name{};
  std::string color{};
  std::optional<uint32_t> anchor{};
  std::optional<uint32_t> head{};

  friend bool operator==(const EditorCursor&, const EditorCursor&) = default;
};

// The cursors of others in the text that an editor has open. They stay at their characters; of
// those that the edits of others move, the editor is told, but not all the time. Those that its own
// edits move it moves itself. No clock: times come in. Thread-compatible.
class EditorCursors {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kMoveInterval{100};

  explicit EditorCursors(crdt::Unit unit) : unit_(unit) {}

  // What the relay has told. Returns the cursor if it is shown in another way now.
  std::optional<EditorCursor> Set(const RelayUser& user, const automerge::TextField& text);
  // Returns how it was shown.
  std::optional<EditorCursor> Remove(const std::string& user_id);
  void Clear();

  // Others, or the editor, have changed the text.
  void OnChangedByOthers() { moved_ = true; }
  void OnChangedByEditor(const automerge::TextField& text);
  // Those that have moved, if it is time to tell.
  std::vector<EditorCursor> TakeMoved(const automerge::TextField& text, TimePoint now);
  std::optional<TimePoint> deadline() const;

 private:
  struct Entry {
    EditorCursor shown{};
    // The characters right of the places; none: the end.
    automerge::OpId anchor{};
    automerge::OpId head{};
  };

  EditorCursor Show(const Entry& entry, const automerge::TextField& text) const;

  const crdt::Unit unit_;
  std::map<std::string, Entry> entries_;
  bool moved_ = false;
  std::optional<TimePoint> told_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_CURSORS_H_
