// Room: src/context
#ifndef CURSORWIRE_CONTEXT_RULE_FILE_H_
#define CURSORWIRE_CONTEXT_RULE_FILE_H_

#include <string>
#include <string_view>

#include "cursorwire/agent_rule.h"
#include "cursorwire/export.h"

namespace cursorwire::context {

// A rule from the text of a file. The lines between two "---" at its start, its front matter, say
// when the rule applies: `alwaysApply`, `globs` (separated by commas, or a list), `description`.
// The first of these that says something decides. Without front matter the rule always applies;
// with front matter and none of the three, when the user names it. What is not understood there is
// passed over. Takes any bytes. Source: docs/protocol.md, request context.
CURSORWIRE_EXPORT AgentRule ParseRuleFile(const std::string& path, std::string_view text);

// The same rule for the files below one folder alone: a rule that always applies gets a glob for
// all of them, and globs count from there. Rules that are asked for or named stay as they are.
// `folder` is relative to the project, without slashes at its ends.
CURSORWIRE_EXPORT AgentRule WithinFolder(AgentRule rule, std::string_view folder);

}  // namespace cursorwire::context

#endif  // CURSORWIRE_CONTEXT_RULE_FILE_H_
