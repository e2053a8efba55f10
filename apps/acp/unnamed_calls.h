#ifndef CURSORWIRE_APPS_ACP_UNNAMED_CALLS_H_
#define CURSORWIRE_APPS_ACP_UNNAMED_CALLS_H_

#include <string>
#include <vector>

namespace cursor_acp {

// Gives ids to the tool calls of a turn that the service sends without one: an editor takes two
// calls with one id for the same. Messages of one call are found by their order and by its kind.
// Thread-compatible.
class UnnamedCalls {
 public:
  enum class Step { kPartial, kStarted, kCompleted };
  // The id of the call that this message is about. A call is partial any number of times, started
  // once, and completed once; all but the last may be missing. Of several that are open the oldest
  // of the kind is completed, or the oldest if there is none of the kind.
  std::string IdOf(Step step, const std::string& kind);

 private:
  struct Call {
    std::string id;
    std::string kind;
    bool started = false;
  };

  std::vector<Call> open_;
  int calls_ = 0;
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_UNNAMED_CALLS_H_
