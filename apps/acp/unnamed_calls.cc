#include "acp/unnamed_calls.h"

#include <algorithm>

namespace cursor_acp {

std::string UnnamedCalls::IdOf(Step step, const std::string& kind) {
  auto call = std::find_if(open_.begin(), open_.end(), [&](const Call& other) {
    return other.kind == kind && (step == Step::kCompleted || !other.started);
  });
  if (call == open_.end() && step == Step::kCompleted) call = open_.begin();
  if (call == open_.end()) {
    call = open_.insert(call, {.id = "call-" + std::to_string(++calls_), .kind = kind});
  }
  if (step == Step::kStarted) call->started = true;
  std::string id = call->id;
  if (step == Step::kCompleted) open_.erase(call);
  return id;
}

}  // namespace cursor_acp
