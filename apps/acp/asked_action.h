#ifndef CURSORWIRE_APPS_ACP_ASKED_ACTION_H_
#define CURSORWIRE_APPS_ACP_ASKED_ACTION_H_

#include <cursorwire/mcp/servers.h>
#include <cursorwire/workspace.h>

#include <optional>
#include <string>
#include <string_view>

#include "acp/json.h"
#include "acp/permissions.h"

namespace cursor_acp {

// An action as the user sees it and is asked about it. A value.
struct AskedAction {
  Json members{};          // of a tool call, without its content
  std::string words{};     // what the user decides about, whole: a title may be cut
  Scope scope{};           // that "always" allows
  bool runs_code = false;  // other programs may run what is in the file
};

AskedAction AskedAbout(const cursorwire::WriteAction& action);
AskedAction AskedAbout(const cursorwire::DeleteAction& action);
AskedAction AskedAbout(const cursorwire::ShellAction& action);
AskedAction AskedAbout(const cursorwire::ShellInputAction& action);
// `before` stands in front of the title.
AskedAction AskedAbout(const cursorwire::mcp::ServerCall& call, std::string_view before = "");

// What a server says of its tool, as content; nullopt: nothing, or more than can be shown.
std::optional<Json> ServerWords(const cursorwire::mcp::ServerCall& call);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_ASKED_ACTION_H_
