// Room: src/agent/tools
#ifndef CURSORWIRE_TOOL_REPLY_H_
#define CURSORWIRE_TOOL_REPLY_H_

#include <absl/status/statusor.h>

#include <functional>
#include <memory>

#include "cursorwire/export.h"
#include "cursorwire/tool.h"

namespace cursorwire {

// Takes the answer to one ToolCall, later and from any thread. Copies answer the same call.
// The first Send() counts. When the last copy is gone without one, the call is answered with an
// error that says so: the agent never waits in vain. Thread-safe.
class CURSORWIRE_EXPORT ToolReply {
 public:
  using Sink = std::function<void(absl::StatusOr<ToolResult>)>;

  // `sink` is called once, on the thread of the Send() or of the last destructor.
  explicit ToolReply(Sink sink);

  // A status becomes a result with `is_error`, and its message the text.
  void Send(absl::StatusOr<ToolResult> result) const;

 private:
  class CURSORWIRE_HIDDEN State;
  std::shared_ptr<State> state_;  // shared by the copies
};

}  // namespace cursorwire

#endif  // CURSORWIRE_TOOL_REPLY_H_
