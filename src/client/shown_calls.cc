#include "client/shown_calls.h"

#include <absl/strings/str_cat.h>

namespace cursorwire {

bool ShownCalls::WasShown(const ChatEvent& event) {
  std::string key;
  if (const auto* partial = event.As<ToolCallPartial>()) {
    // A call that began is not written again.
    return earlier_.contains(absl::StrCat("began ", partial->call.call_id));
  }
  if (const auto* started = event.As<ToolCallStarted>()) {
    key = absl::StrCat("began ", started->call.call_id);
  } else if (const auto* completed = event.As<ToolCallCompleted>()) {
    key = absl::StrCat("ended ", completed->call.call_id);
  } else {
    return false;
  }
  if (key.size() > kMaxKeyBytes) return false;
  if (earlier_.contains(key)) return true;
  if (current_.size() + earlier_.size() < kMaxCalls) current_.insert(std::move(key));
  return false;
}

}  // namespace cursorwire
