// Room: values
#ifndef CURSORWIRE_RUN_PROGRESS_H_
#define CURSORWIRE_RUN_PROGRESS_H_

#include <string>
#include <vector>

#include "cursorwire/history.h"

namespace cursorwire {

// How far a turn has come: what its host needs to keep it in a history or, after a lost connection,
// to go on with another Run. A value.
struct RunProgress {
  // The turn so far, with the items that the Run started with. Of the tools, those that gave a
  // result.
  HistoryTurn turn{};
  bool complete = false;  // TurnEnded was given
  // More came than is kept: `turn` is not the whole turn, and says so. The bound: docs/limits.md.
  bool truncated = false;

  // The last Checkpoint of this Run; empty: none came. What follows is relative to it or, without
  // one, to the start of the Run.
  std::string checkpoint{};
  // It holds all that came of the turn.
  bool held_whole = false;
  // The items of `turn` that it holds.
  std::vector<HistoryItem> held{};
  // The actions that were handed to the host and gave no result, in order. Their results say that.
  std::vector<HistoryToolCall> unanswered{};
  // The text of the answer that was given out after it. What another Run that goes on from it says
  // first may repeat this.
  std::string text_since{};
  // A tool was used that it does not hold, or may not hold.
  bool tools_since = false;
  // Text was given out after the last of these tools.
  bool text_since_tools = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_RUN_PROGRESS_H_
