#ifndef CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_VERSIONS_H_
#define CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_VERSIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/text/text_diff.h"
#include "crdt/text/version_map.h"

namespace cursorwire::collab {

// Some characters that give way to a text, all in code points of the present text.
struct EditorEdit {
  uint32_t at = 0;
  std::vector<crdt::VersionMap::Range> deleted{};  // ascending, none in front of `at`
  std::string inserted{};
};

// The texts that an editor may have. It sends its whole text without saying from which of ours that
// came, and others may have changed the text while it was on its way. So what it sends is compared
// with each text that it may have had, and what differs from the nearest one is what it did.
// Source: docs/collab/nvim-helper.md, "Edits".
//
// Lines keep their order in both directions. So an editor that has worked on a text of ours has all
// those before it behind it; those after it may still be on their way, and take the place of what
// it has sent when they arrive. Where it may have worked on one of several, this holds for all
// after the oldest of them. One that says anything reads soon; one that is silent may be busy, and
// have an old text, or just have nothing to say. No clock: times come in. Thread-compatible.
class EditorVersions {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // How long a text may be on its way that a later one was sent after: to an editor that does not
  // become busy meanwhile, and to one that is busy. Who says something when kReadTime is over is
  // not busy, and what was said before that line may come for kReadTime more.
  static constexpr std::chrono::milliseconds kReadTime{2000};
  static constexpr std::chrono::milliseconds kMaxAge{60000};
  // Beyond either, every second one of the older half goes: what is near to one that went stays.
  static constexpr size_t kMaxVersions = 256;
  static constexpr size_t kMaxBytes = size_t{64} * 1024 * 1024;
  // Of former texts. Beyond either the oldest go.
  static constexpr size_t kMaxFormer = 64;
  static constexpr size_t kMaxFormerBytes = size_t{16} * 1024 * 1024;
  // Comparisons of two code points, for all of them together.
  static constexpr uint64_t kMaxSteps = 64'000'000;

  struct Comparison {
    // They make the text that was sent of the nearest version, from the last place to the first:
    // each is to be done, and OnReplaced() called, before the next.
    std::vector<EditorEdit> edits{};
    // The editor has read at least this many of the texts that it was given, the oldest first. The
    // later ones may still be on their way to it.
    size_t read = 0;
    // And most likely this many.
    size_t likely_read = 0;
  };

  // The editor has said something.
  void NoteAwake(TimePoint now);
  // The editor is given the present text: in an answer, or unasked.
  enum class Given : uint8_t { kAsked, kUnasked };
  void AddGiven(std::string text, TimePoint now, Given how = Given::kUnasked);
  // What the editor did to make `text`. Changes nothing.
  Comparison Compare(std::string_view text, TimePoint now) const;
  // The editor has sent `text`, and `present` is what came of it by these edits. Texts that it may
  // not have read yet stay.
  void AddSent(std::string text, const Comparison& comparison, std::string_view present,
               TimePoint now);
  // The present text has changed, whoever did it. In code points.
  void OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted);
  // The same for several steps at once: each single one costs the pieces of all versions.
  void OnChanged(const crdt::VersionMap& change, size_t steps);

  // The same in place of very many of them: what differs from the present text counts as replaced.
  void OnRewritten(std::string_view present);

  // Whether the editor is sure to have `text` in the end, if nobody does anything any more.
  bool WillHave(std::string_view text) const;
  bool empty() const { return size() == 0; }
  size_t size() const { return given_.size() + (sent_ ? 1 : 0); }

 private:
  struct Version {
    explicit Version(std::string its_text);

    void Replace(uint32_t at, uint32_t deleted, uint32_t inserted);
    // The present text is this one.
    void MapTo(std::string_view present, const crdt::TextDiffLimits& limits);
    // At most.
    size_t bytes() const;
    bool IsGone(TimePoint now) const { return superseded && until < now; }
    // Whoever says something now has read what came after it.
    bool IsRead(TimePoint now) const { return superseded && *superseded + kReadTime <= now; }
    // It counts only where the editor has been busy, or has not read what it most likely has.
    bool IsOld(TimePoint now) const {
      return likely_read || (superseded && *superseded + kReadTime < now);
    }

    std::string text;
    uint32_t length = 0;  // code points
    crdt::VersionMap map;
    size_t steps = 0;  // of `map`
    bool asked = false;
    bool likely_read = false;
    std::optional<TimePoint> superseded{};
    TimePoint until{};  // if it is superseded
  };
  class Search;

  void AddFormer(const std::string& text, TimePoint now);
  // `text` takes back what the editor has typed, or puts in what it has taken out, and no more.
  bool TakesBack(std::string_view text, TimePoint now) const;
  void Supersede(TimePoint now);
  void Thin();
  size_t bytes() const;
  // `text` is one that is old.
  bool WasOld(std::string_view text, TimePoint now) const;
  // For each of them.
  crdt::TextDiffLimits Limits() const;

  // The last text of the editor, if it may go on from that.
  std::optional<Version> sent_;
  // Those that it may have been given since, the oldest first.
  std::deque<Version> given_;
  // Former texts of it, less than kReadTime ago, the oldest first.
  struct Former {
    TimePoint until{};
    std::string text{};
  };
  std::deque<Former> former_;
  size_t former_bytes_ = 0;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_VERSIONS_H_
