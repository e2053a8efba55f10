#include "documents/shown_actions.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "json/json_field.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

namespace documents = cursorwire::documents;
using nlohmann::json;

// The agent may name a file relative to the workspace; a question has the whole path.
bool IsSameFile(std::string_view whole, std::string_view named) {
  if (named.starts_with("./")) named.remove_prefix(2);
  return whole == named || (!named.starts_with('/') && whole.ends_with(Concat("/", named)));
}

}  // namespace

void ShownActions::Add(const documents::DocumentEvent& event) {
  if (const auto* start = std::get_if<documents::DocumentStart>(&event)) {
    const bool is_command =
        std::holds_alternative<documents::TerminalCommandMetadata>(start->metadata);
    const bool is_look = std::holds_alternative<documents::ToolCallMetadata>(start->metadata);
    if (is_command || is_look ||
        std::holds_alternative<documents::FileEditMetadata>(start->metadata)) {
      actions_.push_back(
          {.document_id = start->document_id, .is_command = is_command, .is_look = is_look});
    }
  } else if (const auto* arguments = std::get_if<documents::ToolCallArguments>(&event)) {
    for (Action& action : actions_) {
      if (action.document_id != arguments->document_id) continue;
      const json values = json::parse(arguments->arguments_json, nullptr, false);
      action.subject = TextOf(values, action.is_command ? "command" : "path");
    }
  } else if (const auto* end = std::get_if<documents::DocumentEnd>(&event)) {
    std::erase_if(actions_,
                  [end](const Action& action) { return action.document_id == end->document_id; });
  }
}

std::string ShownActions::Take(const ApprovalQuestion& question) {
  const json arguments = json::parse(question.arguments_json, nullptr, false);
  const std::string_view command = TextOf(arguments, "command");
  const std::string_view path = TextOf(arguments, "path");
  const auto found = std::find_if(actions_.begin(), actions_.end(), [&](const Action& action) {
    if (action.subject.empty() || action.is_look != question.is_look) return false;
    return action.is_command ? action.subject == command : IsSameFile(path, action.subject);
  });
  if (found == actions_.end()) return "";
  std::string id = std::move(found->document_id);
  actions_.erase(found);
  return id;
}

}  // namespace cursor_gateway
