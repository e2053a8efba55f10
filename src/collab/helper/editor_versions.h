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
// Source: docs/collab/nvim-helper.md, "Edits". No clock: times come in. Thread-compatible.
class EditorVersions {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // How long a text may be on its way that a later one was sent after.
  static constexpr std::chrono::milliseconds kMaxAge{2000};
  static constexpr size_t kMaxVersions = 16;

  // The editor has been given, or has, the present text.
  void Add(std::string text, TimePoint now);
  // The editor has sent `text`, and `present` is what came of it, after the edits of Compare().
  void AddSent(std::string text, std::string_view present, TimePoint now);
  // The present text has changed, whoever did it. In code points.
  void OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted);

  bool empty() const { return versions_.empty(); }
  // What the editor has, as far as we know.
  const std::string& newest() const { return versions_.back().text; }
  // The edits that make `text` of the nearest version, from the last place to the first: each is to
  // be done, and OnReplaced() called, before the next.
  std::vector<EditorEdit> Compare(std::string_view text, TimePoint now) const;

 private:
  struct Version {
    std::string text;
    crdt::VersionMap map;
    std::optional<TimePoint> superseded{};
  };

  void Push(Version version, TimePoint now);

  std::deque<Version> versions_;  // the oldest first
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_HELPER_EDITOR_VERSIONS_H_
