#include "cursorwire/command_tools.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/suggestion.h"
#include "commands/command_call.h"
#include "json/checked_json.h"
#include "json/json_member.h"
#include "process/running_commands.h"

namespace cursorwire {
namespace {

using nlohmann::json;

constexpr size_t kMaxNameBytes = 64;   // docs/protocol.md, tools offered
constexpr size_t kMaxJsonDepth = 128;  // deeper JSON could overflow the stack when it is written
constexpr char kForm[] = R"([{"name": "now", "command": ["date"]}])";

std::string Quoted(const std::string& text) { return "\"" + text.substr(0, kMaxNameBytes) + "\""; }

bool IsName(std::string_view name) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.size() <= kMaxNameBytes &&
         name.find_first_not_of(kAllowed) == name.npos;
}

absl::Status CheckFields(const json& entry) {
  const std::vector<std::string> known = {"name", "description", "input_schema", "command",
                                          "sandbox"};
  for (const auto& [field, value] : entry.items()) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    const std::string suggestion = Suggest(field, known);
    return InvalidArgument(
        "there is no field " + Quoted(field) +
        (suggestion.empty()
             ? "; the fields are name, description, input_schema, command and sandbox"
             : "; did you mean \"" + suggestion + "\"?"));
  }
  return absl::OkStatus();
}

absl::Status CheckName(const json& entry) {
  const auto field = entry.find("name");
  if (field == entry.end())
    return InvalidArgument(R"(the field "name" is missing: add "name": "...")");
  if (field->is_string() && IsName(field->get_ref<const std::string&>())) return absl::OkStatus();
  return InvalidArgument(
      "the field \"name\" must be a string of 1 to 64 of A-Z, a-z, 0-9, _ and -");
}

absl::Status ReadDefinition(const json& entry, ToolDefinition& definition) {
  if (const auto field = entry.find("description"); field != entry.end()) {
    if (!field->is_string()) return InvalidArgument("the field \"description\" must be a string");
    definition.description = field->get<std::string>();
  }
  if (const auto field = entry.find("input_schema"); field != entry.end()) {
    if (!field->is_object()) {
      return InvalidArgument(
          R"(the field "input_schema" must be a JSON Schema, such as {"type": "object"})");
    }
    definition.input_schema = field->dump();
  }
  return absl::OkStatus();
}

absl::Status ReadCommand(const json& entry, std::vector<std::string>& command) {
  const auto field = entry.find("command");
  if (field == entry.end()) {
    return InvalidArgument(
        R"(the field "command" is missing: add a program, such as "command": ["date"])");
  }
  bool ok = field->is_array() && !field->empty();
  for (const json& word : *field) {
    ok = ok && word.is_string();
    if (!ok) break;
    command.push_back(word.get<std::string>());
    ok = command.back().find('\0') == std::string::npos;
  }
  if (ok && !command[0].empty()) return absl::OkStatus();
  return InvalidArgument(
      "the field \"command\" must be a list of strings without zero bytes, a program and "
      "its arguments, such as [\"date\", \"-u\"]; for a shell, [\"sh\", \"-c\", \"...\"]");
}

absl::Status ReadSandbox(const json& entry, bool& sandboxed) {
  const auto field = entry.find("sandbox");
  if (field == entry.end()) return absl::OkStatus();
  if (!field->is_boolean()) return InvalidArgument("the field \"sandbox\" must be true or false");
  sandboxed = field->get<bool>();
  return absl::OkStatus();
}

absl::Status ReadTool(const json& entry, CommandTool& tool) {
  if (!entry.is_object())
    return InvalidArgument(std::string("it must be an object, as in ") + kForm);
  // Read first, so that all later errors can name the tool.
  tool.definition.name = TextOf(entry, "name");
  if (absl::Status status = CheckFields(entry); !status.ok()) return status;
  if (absl::Status status = CheckName(entry); !status.ok()) return status;
  if (absl::Status status = ReadDefinition(entry, tool.definition); !status.ok()) return status;
  if (absl::Status status = ReadSandbox(entry, tool.sandboxed); !status.ok()) return status;
  return ReadCommand(entry, tool.command);
}

// A prefix for messages, such as "entry 2 (now): ".
std::string Where(size_t index, const CommandTool& tool) {
  const std::string& name = tool.definition.name;
  return absl::StrCat("entry ", index + 1, IsName(name) ? " (" + name + "): " : ": ");
}

}  // namespace

absl::StatusOr<std::vector<CommandTool>> ParseCommandTools(std::string_view text) {
  const absl::StatusOr<json> entries = ParseCheckedJson(text, {.max_depth = kMaxJsonDepth});
  if (!entries.ok()) return entries.status();
  if (!entries->is_array()) {
    return InvalidArgument(absl::StrCat("it must be a list of tools, such as ", kForm));
  }
  std::vector<CommandTool> tools;
  std::set<std::string> names;
  for (const json& entry : *entries) {
    CommandTool tool;
    const absl::Status status = ReadTool(entry, tool);
    const std::string where = Where(tools.size(), tool);
    if (!status.ok()) return InvalidArgument(absl::StrCat(where, status.message()));
    if (!names.insert(tool.definition.name).second) {
      return InvalidArgument(absl::StrCat(
          where, "the field \"name\" is that of another entry: give it a name of its own"));
    }
    tools.push_back(std::move(tool));
  }
  return tools;
}

class CommandTools::Impl {
 public:
  Impl() : environment_(commands::CommandEnvironment(environ)) {}

  absl::StatusOr<ToolResult> Call(const commands::ToolCommand& command,
                                  const CommandToolOptions& options, const ToolCall& call) {
    if (options.policy) {
      if (absl::Status status = options.policy(call); !status.ok()) return status;
    }
    return commands::RunCommand(command, environment_, call, running_);
  }
  void Kill() { running_.KillAll(); }

 private:
  const std::vector<std::string> environment_;
  process::RunningCommands running_;
};

CommandTools::CommandTools() : impl_(std::make_shared<Impl>()) {}

void CommandTools::AddTo(ToolRegistry& registry, const std::vector<CommandTool>& tools,
                         const CommandToolOptions& options) const {
  for (const CommandTool& tool : tools) {
    ToolRegistry::Handler handler;  // without a command there is none, which is an error
    if (!tool.command.empty()) {
      const commands::ToolCommand command{
          .words = tool.command, .errors = options.errors, .sandboxed = tool.sandboxed};
      handler = [impl = impl_, command, options](const ToolCall& call) {
        return impl->Call(command, options, call);
      };
    }
    registry.Add(tool.definition, std::move(handler));
  }
}

void CommandTools::Kill() const { impl_->Kill(); }

}  // namespace cursorwire
