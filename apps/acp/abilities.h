#ifndef CURSORWIRE_APPS_ACP_ABILITIES_H_
#define CURSORWIRE_APPS_ACP_ABILITIES_H_

#include "acp/json.h"

namespace cursor_acp {

// What the editor offers. What it did not offer is never asked for. Source: schema of version 1,
// ClientCapabilities.
struct Abilities {
  bool read_text_file = false;
  bool write_text_file = false;
  bool terminal = false;
  bool notices = false;
  bool forms = false;  // elicitation of the mode "form"

  friend bool operator==(const Abilities&, const Abilities&) = default;
};

// What is missing, null or of another type is not offered.
Abilities ReadAbilities(const Json& client_capabilities);

// The answer to `initialize`.
Json DescribeAgent();

// The one method of `authenticate`: the same id as of the vendor's own agent, since clients send it
// unasked.
inline constexpr char kLoginMethod[] = "cursor_login";

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_ABILITIES_H_
