#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SNAPSHOT_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SNAPSHOT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collab/room_agent/line_listing.h"
#include "collab/room_agent/line_splice.h"
#include "crdt/yjs/document.h"
#include "crdt/yjs/id.h"

namespace cursorwire::room_agent {

// Of new text in one update.
inline constexpr size_t kMaxUpdateTextBytes = size_t{32} * 1024;
// Lines and bytes of text that a snapshot is taken of. A line takes about 40 bytes beside its text.
inline constexpr uint32_t kMaxSnapshotLines = 1'000'000;
inline constexpr size_t kMaxSnapshotBytes = size_t{64} * 1024 * 1024;

// What one edit did. Lines are 1-based and count in the whole text as it was just before the edit:
// `lines` lines stand now where start_line to end_line stood. After an insert end_line is
// start_line - 1, after a delete `lines` is 0. The new lines are start_line to
// start_line + lines - 1.
struct AppliedEdit {
  uint32_t start_line = 0;
  uint32_t end_line = 0;
  uint32_t lines = 0;
  uint32_t end_byte = 0;  // in the new text: where the last new line ends, or the place of a delete
  // Of Yjs, for the peers, in this order: one, or several where new text is longer than
  // kMaxUpdateTextBytes, since a server of rooms bounds a message.
  std::vector<std::string> updates{};
};

// A line of the text as it is now, in the numbers of the snapshot.
struct PresentLine {
  enum class Kind : uint8_t {
    kNumbered,  // line `start`, changed or not
    kNew,       // put there since, by anybody; before line `start`, which may be behind the last
    kReplaced,  // part of what this run put in place of lines `start` to `end`
  };
  Kind kind = Kind::kNumbered;
  uint32_t start = 0;
  uint32_t end = 0;
  std::string_view text{};  // without line feed
};

// The lines of a text as they were when it was made, found again while people write: through the
// units of the document that each line began and ended with. Edits are whole lines, and take effect
// at once. They and the edits of others shift no number.
//
// The number of lines is that of the line feeds, and one more if the text does not end in one. If
// it does not end in one, it stays so, unless its last line is empty. Source:
// docs/collab/room-agent.md, "Lines".
//
// Numbers that are no range of the snapshot are kOutOfRange. Messages of errors are for the model:
// they say what to do next. Thread-compatible.
class LineSnapshot {
 public:
  //   kResourceExhausted  the text is too large for a snapshot
  static absl::Status CheckSize(const yjs::Document& document, std::string_view root);

  // `document` must outlive it; `root` names the text, for which CheckSize() must be OK: of another
  // one it takes no line.
  LineSnapshot(yjs::Document& document, std::string root);
  LineSnapshot(const LineSnapshot&) = delete;
  LineSnapshot& operator=(const LineSnapshot&) = delete;

  uint32_t line_count() const { return static_cast<uint32_t>(lines_.size()); }
  // As in the snapshot, without line feed. `number`: 1 to line_count().
  std::string_view Line(uint32_t number) const;
  // The whole snapshot.
  std::string_view text() const { return text_; }

  // Puts `lines` in place of these lines: "" deletes them, "x" and "x\n" are one line, "\n" is an
  // empty one. nullopt: nothing has changed.
  //   kAborted            others changed the range since it was taken or shown, or lines were
  //                       inserted into it; the message shows it, and if it shows all of it, the
  //                       same call is now carried out
  //   kFailedPrecondition it overlaps lines that were replaced or deleted here; the same range as
  //                       before is allowed, and stands for what replaced it
  //   kResourceExhausted  a limit of the document
  absl::StatusOr<std::optional<AppliedEdit>> Replace(uint32_t start, uint32_t end,
                                                     std::string_view lines);
  // Puts `lines` before this line, behind what was put there before. line_count() + 1: at the end.
  // If the line is gone, the place is where it was.
  //   kInvalidArgument    no lines
  //   kFailedPrecondition the line, and the one before it, were replaced together
  //   kResourceExhausted  a limit of the document
  absl::StatusOr<std::optional<AppliedEdit>> InsertBefore(uint32_t line, std::string_view lines);

  // The range as it is now, for the model: `N: text` for each line, `+: text` for one without a
  // number, and a remark if something is not as in the snapshot. It counts as shown from now on.
  // What does not fit (LineListing) is left out, and does not count.
  absl::StatusOr<std::string> Show(uint32_t start, uint32_t end);

  // The text as it is now.
  std::string PresentText() const { return document_.Text(root_); }
  // `text` must be PresentText(), and `byte` below its size.
  PresentLine PresentLineAt(std::string_view text, uint32_t byte) const;

 private:
  // Names of lines that stand together.
  struct Anchors {
    std::optional<yjs::Id> before{};  // the unit in front of them
    yjs::Id first{};                  // their first unit, perhaps a line feed
    yjs::Id last_line{};              // the first unit of the last of them
    std::optional<yjs::Id> feed{};    // their last line feed
  };
  struct SnapshotLine {
    uint32_t begin = 0;  // in text_
    yjs::Id first{};
    std::optional<yjs::Id> feed{};
    bool feed_is_taken = false;  // by this run, when it deleted the last lines
  };
  // What this run put somewhere.
  struct OwnText {
    uint32_t last_line = 0;  // of the range that it replaced; 0: it was inserted
    bool is_there = true;    // false: the range was deleted
    Anchors anchors{};
    yjs::Id last{};       // its last unit
    std::string shown{};  // of a range, as in ShownLine
  };
  // How a line was shown, where that is not as it is in the snapshot.
  struct ShownLine {
    std::string inserted{};  // by this run, in front of it
    std::string text{};      // with its line feed, and with what others put next to it
    bool is_joined = false;  // with a line that is not part of it
  };
  // A line of the snapshot, a range of lines, or what this run put in its place.
  struct Slot {
    uint32_t first_line = 0;
    uint32_t last_line = 0;
    const OwnText* own = nullptr;
    Anchors anchors{};
    ByteRange range{};  // in the text as it is now
  };

  absl::Status CheckRange(uint32_t start, uint32_t end) const;
  uint32_t PlaceOf(const yjs::Id& unit, int assoc) const;
  // Where a unit that is not deleted is.
  std::optional<uint32_t> FindUnit(const yjs::Id& unit) const;
  std::optional<yjs::Id> UnitAt(uint32_t byte) const;

  bool LostFeed(uint32_t line) const;
  uint32_t FindRestored(std::string_view text, uint32_t line);
  Anchors AnchorsOf(uint32_t first_line, uint32_t last_line) const;
  uint32_t EndOfOwnBelow(uint64_t key) const;
  const OwnText* OwnAbove(uint64_t key) const;
  std::map<uint64_t, OwnText>::const_iterator OwnRangeOf(uint32_t line) const;
  Slot MakeSlot(uint32_t first_line, uint32_t last_line) const;
  Slot OwnSlot(std::map<uint64_t, OwnText>::const_iterator own) const;
  Slot SlotOf(uint32_t line) const;
  ByteRange RangeOf(const Anchors& anchors, uint64_t key, uint64_t last_key) const;
  absl::StatusOr<Slot> SlotFor(uint32_t start, uint32_t end) const;
  absl::StatusOr<uint32_t> PlaceBefore(std::string_view text, uint32_t line) const;
  uint32_t NumberedLineOf(std::string_view text, const Slot& slot) const;

  std::string ExpectedText(const Slot& slot) const;
  bool WasShownJoined(const Slot& slot) const;
  std::optional<ByteRange> FindUnchanged(std::string_view text, const Slot& slot) const;
  std::optional<ByteRange> FindAround(std::string_view text, const Slot& slot,
                                      std::string_view lines) const;
  absl::Status RefuseChanged(std::string_view text, uint32_t start, uint32_t end);

  absl::StatusOr<std::vector<std::string>> SpliceInPieces(const LineSplice& splice);
  absl::StatusOr<AppliedEdit> Apply(std::string& text, ByteRange range, const LineSplice& splice,
                                    const std::optional<std::string>& lines);
  Anchors AnchorsOfTaken(const LineSplice& splice) const;
  void NameLines(std::string_view text, const LineSplice& splice, OwnText& own) const;

  LineListing List(std::string_view text, uint32_t start, uint32_t end);
  bool ListSlot(std::string_view text, const Slot& slot, uint32_t from, LineListing& listing) const;
  void NoteShown(std::string_view text, const Slot& slot, uint32_t from);

  yjs::Document& document_;
  const std::string root_;
  std::string text_;
  bool ends_open_ = false;  // without a line feed
  std::vector<SnapshotLine> lines_;
  // By place: 2 * line for what stands before a line, one more for what replaced a range from it.
  std::map<uint64_t, OwnText> own_;
  std::map<uint32_t, ShownLine> shown_;
};

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SNAPSHOT_H_
