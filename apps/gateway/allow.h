#ifndef CURSORWIRE_APPS_GATEWAY_ALLOW_H_
#define CURSORWIRE_APPS_GATEWAY_ALLOW_H_

#include <absl/status/statusor.h>
#include <cursorwire/action_policy.h>

#include <string>

namespace cursor_gateway {

// What the agent may do in the workspace, as `cursor-chat --allow` says it. A value.
struct Allow {
  bool read = true;
  bool write = false;
  // Commands; with `write`, also files from which other programs run code.
  bool shell = false;
  bool ask = false;  // somebody is to be asked about the rest: where nobody can be, it is refused
};

//   kInvalidArgument  a word that there is not; the message follows the name of an option
absl::StatusOr<Allow> ParseAllow(const std::string& list);

cursorwire::ActionPolicy MakePolicy(const Allow& allow);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ALLOW_H_
