#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_REGIONS_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collab/room_agent/region_answer.h"

namespace cursorwire::room_agent {

// Regions: parts of a text as a model wants them, with unchanged lines at both ends that say where
// they belong: docs/collab/room-agent.md, "Regions".

// Lines of text and region that are compared for all regions of an answer, counted once for each
// of up to four passes. The regions behind that are refused.
inline constexpr uint64_t kMaxRegionSteps = 50'000'000;
// Lines of a text above which an answer of less than half of them is no whole text.
inline constexpr uint32_t kMinPartLines = 20;

enum class RegionFate : uint8_t {
  kReplace,
  kUnchanged,       // the text has it as it is
  kAmbiguous,       // it fits in several places
  kNoContext,       // no line at its ends is in the text
  kNotFound,        // one end of it is in the text, the other is not behind, or before, it
  kOverlap,         // with an earlier one
  kLooksLikeAPart,  // it has no context, and is too short for the whole text
  kTooMuch,         // see kMaxRegionSteps
};

// As it is told to people.
std::string_view ReasonOf(RegionFate fate);

// `count` whole lines of the text, from line `first` on, become `lines`, each with its line feed.
// A count of 0 inserts in front of `first`, which may be one behind the last line.
struct RegionEdit {
  uint32_t first = 1;
  uint32_t count = 0;
  std::string lines{};

  friend bool operator==(const RegionEdit&, const RegionEdit&) = default;
};

struct RegionPlace {
  RegionFate fate = RegionFate::kNoContext;
  uint32_t line = 0;  // where it would be, or one of its places; 0: not known
  // Lines of context that have been found, and whether one of them is more than blanks.
  uint32_t above = 0;
  uint32_t below = 0;
  bool is_firm = false;  // at both ends
  // For kReplace: one, or several ascending ones where a whole text was compared with the present
  // one.
  std::vector<RegionEdit> edits{};
};

// What a model was shown of the text, in lines from 1.
struct SentLines {
  uint32_t first = 0;
  uint32_t last = 0;
  bool whole = false;
  uint32_t prompt = 0;  // the line that asked
};

// Where each of the regions belongs in `text`; all places are in it as it is.
//
// Time and memory grow with the lines of the text and of the answer, for each region: a line is
// hashed once, and then compared as a number. The longest matches are found for all places at once
// (the Z function, forwards and backwards), and one more pass gives each prefix its suffix: equal
// lines, however many, cost no more. kMaxRegionSteps bounds the sum.
std::vector<RegionPlace> LocateRegions(std::string_view text, const std::vector<Region>& regions,
                                       const SentLines& sent);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_REGIONS_H_
