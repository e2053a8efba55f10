#ifndef CURSORWIRE_SRC_CRDT_TEXT_TEXT_DIFF_H_
#define CURSORWIRE_SRC_CRDT_TEXT_TEXT_DIFF_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace cursorwire::crdt {

// One replaced piece of a text.
struct TextHunk {
  uint32_t at = 0;              // in code points of the old text
  uint32_t deleted = 0;         // code points of the old text from there on
  std::string_view inserted{};  // a view of the new text

  friend bool operator==(const TextHunk&, const TextHunk&) = default;
};

struct TextDiff {
  // Ascending. They neither touch nor overlap: some unchanged text stands between any two.
  std::vector<TextHunk> hunks{};
  uint32_t differences = 0;  // code points deleted and inserted, of all hunks
};

// Beyond either of these, what is left between the common start and the common end becomes one
// hunk. Raise them for fewer needless deletions in texts that differ in much.
struct TextDiffLimits {
  // Time and memory grow with the square of it: 2000 take 8 MB.
  uint32_t max_differences = 2000;
  // Comparisons of two code points. One that is bound to need more is not even begun, so this
  // bounds memory too: 12 bytes each at most.
  uint64_t max_steps = 20'000'000;
};

// What has to be done to `from` to make it `to`: the least that is possible, within the limits,
// except that a hunk is widened where its border would tear a grapheme of either text. So "e" with
// an acute accent put behind it is an "e" deleted, and an "e" with the accent inserted: whoever
// edits at the same place then never ends up with the accent on another letter. The same texts
// always give the same hunks.
//
// What is not torn: CR LF; a code point and the combining marks, variation selectors, emoji
// modifiers, tags and zero width joiners after it; such a joiner and the code point after it.
// Guess: of the rules of Unicode (UAX #29) these are the ones that matter. Flags, Hangul syllables
// in letters, and the marks of single scripts, as Hebrew or Hindi, are not looked after.
//
// Both are UTF-8 of less than 4 GiB. Of malformed text each byte that cannot be read counts as one
// code point.
//
// Memory: 4 bytes for each code point between the common start and the common end, and 4 bytes for
// each of the half square of the differences.
TextDiff DiffText(std::string_view from, std::string_view to, const TextDiffLimits& limits = {});

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_TEXT_TEXT_DIFF_H_
