// Room: values
#ifndef CURSORWIRE_ACTION_CONTEXT_H_
#define CURSORWIRE_ACTION_CONTEXT_H_

#include <stop_token>
#include <string>

namespace cursorwire {

// What a handler or a policy is told of an action or a question beside what it is about. A value.
struct ActionContext {
  // The tool call that wants it: the same as of the ToolCallStarted that shows it. An event of the
  // turn may reach its reader later than the handler is called. Empty: the service gave none.
  std::string call_id{};
  // Requested when nobody waits for the answer any more: return soon then, with anything. Its
  // callbacks run on a thread that must not wait.
  std::stop_token stop{};
};

}  // namespace cursorwire

#endif  // CURSORWIRE_ACTION_CONTEXT_H_
