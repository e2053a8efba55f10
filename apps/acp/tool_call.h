#ifndef CURSORWIRE_APPS_ACP_TOOL_CALL_H_
#define CURSORWIRE_APPS_ACP_TOOL_CALL_H_

#include <cursorwire/chat.h>
#include <cursorwire/history.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "acp/json.h"

namespace cursor_acp {

inline constexpr size_t kMaxToolTitleBytes = 200;
// Input or output of a tool that is shown; a diff may have as much on each of its two sides.
inline constexpr size_t kMaxShownToolBytes = size_t{256} * 1024;

// The protocol's words for a kind of tool of agent.v1, such as "shell": read, edit, delete, search,
// execute, think, fetch, switch_mode or other.
std::string_view ToolKindOf(std::string_view kind);

// Members of a `tool_call` for a call of the agent: id, title, kind, locations and input. `folder`
// is the session's: paths of the protocol are absolute.
Json ToolCallMembers(const cursorwire::ToolCallInfo& call, const std::string& folder);
// The path of a call as an absolute one; empty: it has none.
std::string PathOf(const cursorwire::ToolCallInfo& call, const std::string& folder);

// Members of the `tool_call_update` that ends the call: status, content, output.
Json ToolCallEnd(const cursorwire::ToolCallInfo& call, const std::string& folder);

// A call of a former turn, as a whole `tool_call`.
Json ToolCallOfHistory(const cursorwire::HistoryToolCall& call, const std::string& id);

// Items of the list `content`.
Json TextItem(std::string_view text);
// For a question, about text of the agent or of a server. Editors show texts as Markdown, in which
// an HTML comment hides lines: it is ExactText() in a fence that nothing in it can end. nullopt: it
// is over kMaxShownToolBytes, so that nobody can agree to it.
std::optional<Json> WholeTextItem(std::string_view text);
// The title of such a question: ExactLine(), which says so where it had to be cut.
std::string QuestionTitle(std::string_view text);
// `old_text` is null for a new file. nullopt: a side is over kMaxShownToolBytes.
std::optional<Json> DiffItem(const std::string& path, const Json& old_text,
                             const std::string& new_text);
Json TerminalItem(const std::string& terminal_id);

// The entries of a `plan` for a call that sets the list of things to do; null: it is no such call.
Json PlanOf(const cursorwire::ToolCallInfo& call);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_TOOL_CALL_H_
