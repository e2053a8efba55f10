#include "tools_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "allow.h"
#include "checked_json.h"
#include "prompt.h"
#include "suggestion.h"

namespace cursor_chat {
namespace {

using nlohmann::json;

constexpr size_t kMaxNameBytes = 64;  // docs/protocol.md, tools offered
constexpr char kForm[] = R"([{"name": "now", "command": ["date"]}])";

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

std::string Quoted(const std::string& text) { return "\"" + text.substr(0, kMaxNameBytes) + "\""; }

bool IsName(std::string_view name) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.size() <= kMaxNameBytes &&
         name.find_first_not_of(kAllowed) == name.npos;
}

absl::Status CheckFields(const json& entry) {
  const std::vector<std::string> known = {"name", "description", "input_schema", "command"};
  for (const auto& [field, value] : entry.items()) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    const std::string suggestion = Suggest(field, known);
    return Bad("there is no field " + Quoted(field) +
               (suggestion.empty() ? "; the fields are name, description, input_schema and command"
                                   : "; did you mean \"" + suggestion + "\"?"));
  }
  return absl::OkStatus();
}

absl::Status CheckName(const json& entry) {
  const auto field = entry.find("name");
  if (field == entry.end()) return Bad(R"(the field "name" is missing: add "name": "...")");
  if (field->is_string() && IsName(field->get_ref<const std::string&>())) return absl::OkStatus();
  return Bad("the field \"name\" must be a string of 1 to 64 of A-Z, a-z, 0-9, _ and -");
}

absl::Status ReadDefinition(const json& entry, cursorwire::ToolDefinition& definition) {
  if (const auto field = entry.find("description"); field != entry.end()) {
    if (!field->is_string()) return Bad("the field \"description\" must be a string");
    definition.description = field->get<std::string>();
  }
  if (const auto field = entry.find("input_schema"); field != entry.end()) {
    if (!field->is_object()) {
      return Bad(R"(the field "input_schema" must be a JSON Schema, such as {"type": "object"})");
    }
    definition.input_schema = field->dump();
  }
  return absl::OkStatus();
}

absl::Status ReadCommand(const json& entry, std::vector<std::string>& command) {
  const auto field = entry.find("command");
  if (field == entry.end()) {
    return Bad(R"(the field "command" is missing: add a program, such as "command": ["date"])");
  }
  bool ok = field->is_array() && !field->empty();
  for (const json& word : *field) {
    ok = ok && word.is_string();
    if (!ok) break;
    command.push_back(word.get<std::string>());
    ok = command.back().find('\0') == std::string::npos;
  }
  if (ok && !command[0].empty()) return absl::OkStatus();
  return Bad(
      "the field \"command\" must be a list of strings without zero bytes, a program and "
      "its arguments, such as [\"date\", \"-u\"]; for a shell, [\"sh\", \"-c\", \"...\"]");
}

absl::Status ReadTool(const json& entry, CommandTool& tool) {
  if (!entry.is_object()) return Bad(std::string("it must be an object, as in ") + kForm);
  // Read first, so that all later errors can name the tool.
  tool.definition.name =
      entry.contains("name") && entry["name"].is_string() ? entry["name"].get<std::string>() : "";
  if (absl::Status status = CheckFields(entry); !status.ok()) return status;
  if (absl::Status status = CheckName(entry); !status.ok()) return status;
  if (absl::Status status = ReadDefinition(entry, tool.definition); !status.ok()) return status;
  return ReadCommand(entry, tool.command);
}

// A prefix for messages, such as "FILE: entry 2 (now): ".
std::string Where(const std::string& file, size_t index, const CommandTool& tool) {
  const std::string& name = tool.definition.name;
  return file + ": entry " + std::to_string(index + 1) +
         (IsName(name) ? " (" + name + "): " : ": ");
}

}  // namespace

absl::StatusOr<std::vector<CommandTool>> ReadToolsFile(const std::string& file) {
  const absl::StatusOr<std::string> text = ReadFile(file, kMaxToolsFileBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<json> entries = ParseJson(*text);
  if (!entries.ok()) return Bad(file + ": " + std::string(entries.status().message()));
  if (!entries->is_array()) return Bad(file + ": it must be a list of tools, such as " + kForm);
  std::vector<CommandTool> tools;
  std::set<std::string> names;
  for (const json& entry : *entries) {
    CommandTool tool;
    const absl::Status status = ReadTool(entry, tool);
    const std::string where = Where(file, tools.size(), tool);
    if (!status.ok()) return Bad(where + std::string(status.message()));
    if (!names.insert(tool.definition.name).second) {
      return Bad(where + "the field \"name\" is that of another entry: give it a name of its own");
    }
    tools.push_back(std::move(tool));
  }
  return tools;
}

cursorwire::ToolRegistry MakeTools(const std::vector<CommandTool>& tools,
                                   cursorwire::AgentMode mode, CommandErrors errors,
                                   RunningCommands& running) {
  cursorwire::ToolRegistry registry;
  for (const CommandTool& tool : tools) {
    registry.Add(tool.definition,
                 [tool, mode, errors, &running](
                     const cursorwire::ToolCall& call) -> absl::StatusOr<cursorwire::ToolResult> {
                   if (absl::Status status = CheckMode(mode); !status.ok()) return status;
                   return RunCommand(tool, call, errors, running);
                 });
  }
  return registry;
}

}  // namespace cursor_chat
