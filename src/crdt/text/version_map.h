#ifndef CURSORWIRE_SRC_CRDT_TEXT_VERSION_MAP_H_
#define CURSORWIRE_SRC_CRDT_TEXT_VERSION_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cursorwire::crdt {

// Where the characters of a former version of a text are in the present one. It is told of each
// change between the two, and knows no text: characters are whatever the caller counts in, so long
// as it is the same all through.
//
// Places beyond the end of a text mean its end. Thread-compatible.
class VersionMap {
 public:
  // How many pieces of the former version it follows; a piece is what no change has come into. One
  // more, and the shortest of them is forgotten, of equal ones the first: its characters count as
  // deleted. So whoever deletes or replaces by RangesOf() may then leave something behind, but
  // never takes away what he did not mean. A piece takes 12 bytes.
  static constexpr size_t kMaxRuns = 100'000;

  // Characters of the present text.
  struct Range {
    uint32_t at = 0;
    uint32_t count = 0;

    friend bool operator==(const Range&, const Range&) = default;
  };

  // The former version is the present one.
  explicit VersionMap(uint32_t length) : former_length_(length), length_(length) {
    if (length > 0) runs_.push_back({.former_at = 0, .present_at = 0, .count = length});
  }

  // A change of the present text: `inserted` characters take the place of `deleted` ones at `at`.
  // What would make the text longer than a uint32_t can say counts as not inserted. Time:
  // O(pieces).
  void OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted);

  // The same for many changes at once, which `change` has followed from the present text on. Where
  // nothing of the former version is left, PlaceOf() may name another place in what came in its
  // stead. Time: O(pieces of both).
  void OnChanged(const VersionMap& change);

  // Of the present text.
  uint32_t length() const { return length_; }

  // Where text goes that is inserted at `place` of the former version: right after the nearest
  // character before it that is left, thus in front of what has been inserted there since; if none
  // is left, right in front of the nearest one after it. If nothing is left of the former version:
  // where the last of it was deleted, in front of what came in its stead. Time: O(log pieces).
  uint32_t PlaceOf(uint32_t place) const;

  // What is left of these characters of the former version, ascending, adjacent ones joined.
  std::vector<Range> RangesOf(uint32_t at, uint32_t count) const;

 private:
  // Characters that are adjacent in both versions. None is empty.
  struct Run {
    uint32_t former_at = 0;
    uint32_t present_at = 0;
    uint32_t count = 0;
  };

  void ForgetShortest();

  std::vector<Run> runs_;  // ascending in both versions
  uint32_t former_length_;
  uint32_t length_;
  uint32_t gone_at_ = 0;  // what PlaceOf() says when there is no run
};

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_TEXT_VERSION_MAP_H_
