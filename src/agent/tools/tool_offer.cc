#include "agent/tools/tool_offer.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "agent/tools/json_value.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

constexpr char kProvider[] = "cursorwire";
constexpr char kAnyObject[] = R"({"type":"object","properties":{},"required":[]})";
constexpr size_t kMaxHintNames = 16;
// For the answer to a call of an unknown tool.
constexpr size_t kMaxListedNames = 64;

pb::McpToolDefinition ToDefinition(const ToolDefinition& tool) {
  pb::McpToolDefinition definition;
  definition.set_name(tool.name);
  definition.set_description(tool.description);
  definition.set_provider_identifier(tool.provider.empty() ? kProvider : tool.provider);
  definition.set_tool_name(tool.tool_name.empty() ? tool.name : tool.tool_name);
  // The registry has checked the schema, so this does not fail.
  if (auto schema = JsonToValue(tool.input_schema.empty() ? kAnyObject : tool.input_schema);
      schema.ok()) {
    *definition.mutable_input_schema() = *std::move(schema);
  }
  return definition;
}

// Which of the call's two names counts.
const std::string& CalledName(const pb::McpArgs& call) {
  return call.tool_name().empty() ? call.name() : call.tool_name();
}

std::string Prefix(std::string_view provider) {
  return absl::StrCat("mcp_", ToAbsl(provider), "_");
}

}  // namespace

ToolOffer::ToolOffer(const ToolRegistry& tools)
    : instructions_(tools.instructions()), servers_(tools.servers()) {
  for (size_t i = 0; i < tools.size(); ++i)
    definitions_.push_back(ToDefinition(tools.definition(i)));
}

bool ToolOffer::Has(std::string_view name) const {
  return std::any_of(
      definitions_.begin(), definitions_.end(),
      [name](const pb::McpToolDefinition& definition) { return definition.name() == name; });
}

std::optional<std::string> ToolOffer::Find(const pb::McpArgs& call) const {
  const std::string_view called = CalledName(call);
  for (const pb::McpToolDefinition& tool : definitions_) {
    if (tool.provider_identifier() == call.provider_identifier() && tool.tool_name() == called) {
      return tool.name();
    }
  }
  if (Has(called)) return std::string(called);
  for (const pb::McpToolDefinition& tool : definitions_) {
    if (ModelName(tool.tool_name(), tool.provider_identifier()) == called) return tool.name();
  }
  for (const std::string_view provider :
       {std::string_view(call.provider_identifier()), std::string_view(kProvider)}) {
    const std::string prefix = Prefix(provider);
    if (provider.empty() || !called.starts_with(prefix)) continue;
    const std::string_view name = called.substr(prefix.size());
    if (Has(name)) return std::string(name);
  }
  return std::nullopt;
}

pb::McpResult ToolOffer::NotFound(const pb::McpArgs& call) const {
  pb::McpResult result;
  pb::McpToolNotFound& not_found = *result.mutable_tool_not_found();
  not_found.set_name(CalledName(call));
  for (size_t i = 0; i < std::min(definitions_.size(), kMaxListedNames); ++i) {
    not_found.add_available_tools(definitions_[i].name());
  }
  return result;
}

pb::McpStateSuccess ToolOffer::State() const {
  std::vector<ToolServer> servers = servers_;
  for (const pb::McpToolDefinition& tool : definitions_) {
    const std::string& provider = tool.provider_identifier();
    const bool known = std::any_of(servers.begin(), servers.end(), [&provider](const auto& server) {
      return server.provider == provider;
    });
    if (!known) servers.push_back({.provider = provider, .name = provider});
  }
  pb::McpStateSuccess state;
  for (const ToolServer& server : servers) {
    pb::McpStateServer& entry = *state.add_servers();
    entry.set_server_name(server.name);
    entry.set_server_identifier(server.provider);
    entry.set_status(server.status);
    for (const pb::McpToolDefinition& tool : definitions_) {
      if (tool.provider_identifier() == server.provider) *entry.add_tools() = tool;
    }
    for (const ToolInstructions& instructions : instructions_) {
      if (instructions.provider != server.provider) continue;
      *entry.add_instructions() = ToMessage(instructions);
    }
  }
  return state;
}

std::string ToolOffer::ModelName(std::string_view name, std::string_view provider) {
  return absl::StrCat(Prefix(provider.empty() ? kProvider : provider), ToAbsl(name));
}

std::string ToolOffer::Hint() const {
  if (empty()) return "";
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(definitions_.size(), kMaxHintNames); ++i) {
    names.push_back(ModelName(definitions_[i].tool_name(), definitions_[i].provider_identifier()));
  }
  const char* more = definitions_.size() > names.size() ? ", ... instead." : " instead.";
  return absl::StrCat("Use ", absl::StrJoin(names, ", "), more);
}

pb::McpInstructions ToMessage(const ToolInstructions& instructions) {
  pb::McpInstructions message;
  message.set_server_name(instructions.server);
  message.set_instructions(instructions.text);
  message.set_server_identifier(instructions.provider);
  return message;
}

}  // namespace cursorwire::agent
