#include "client/turn/shown_calls.h"

#include <absl/strings/str_cat.h>

namespace cursorwire {
namespace {

// Empty: a call without an id cannot be told from others.
std::string ShownKey(const char* what, const ToolCallInfo& call) {
  return call.call_id.empty() ? "" : absl::StrCat(what, call.call_id);
}

}  // namespace

bool ShownCalls::WasShown(const ChatEvent& event) {
  std::string key;
  if (const auto* partial = event.As<ToolCallPartial>()) {
    // A call that began is not written again.
    return earlier_.contains(ShownKey("began ", partial->call));
  }
  if (const auto* started = event.As<ToolCallStarted>()) {
    key = ShownKey("began ", started->call);
  } else if (const auto* completed = event.As<ToolCallCompleted>()) {
    key = ShownKey("ended ", completed->call);
  } else {
    return false;
  }
  if (key.empty() || key.size() > kMaxKeyBytes) return false;
  if (earlier_.contains(key)) return true;
  if (current_.size() + earlier_.size() < kMaxCalls) current_.insert(std::move(key));
  return false;
}

}  // namespace cursorwire
