#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_COMPLETED_LINES_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_COMPLETED_LINES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crdt/yjs/text_list.h"

namespace cursorwire::room_agent {

// Of one update; of more the last ones count.
inline constexpr size_t kMaxCompletedLines = 64;

// The lines that these inserts end, of each insert with a line feed the one in which it begins: the
// bytes of their line feeds, in the text as it is after all changes, which has `text_bytes`.
// A line whose end was deleted again is left out. Where the changes put one new text in place of
// all there was, which is how a host loads a file anew, there are none; nor where they put several
// lines into an empty text, which is how it loads one late.
std::vector<uint32_t> CompletedLines(const std::vector<yjs::TextChange>& changes,
                                     uint32_t text_bytes);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_COMPLETED_LINES_H_
