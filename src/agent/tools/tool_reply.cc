#include "cursorwire/tools.h"

#include <utility>

#include "base/single_answer.h"

namespace cursorwire {

class ToolReply::State : public SingleAnswer<absl::StatusOr<ToolResult>> {
 public:
  using SingleAnswer::SingleAnswer;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { Send(ToolResult::Error("the tool ended without an answer")); }
};

ToolReply::ToolReply(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {}

void ToolReply::Send(absl::StatusOr<ToolResult> result) const { state_->Send(std::move(result)); }

}  // namespace cursorwire
