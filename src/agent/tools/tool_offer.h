#ifndef CURSORWIRE_SRC_AGENT_TOOLS_TOOL_OFFER_H_
#define CURSORWIRE_SRC_AGENT_TOOLS_TOOL_OFFER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/v1/mcp.pb.h"
#include "cursorwire/tool_registry.h"

namespace cursorwire::agent {

// The tools of the client in the form in which the service knows them: the definitions that it is
// given, and which of them a call means. A value. Source: docs/protocol.md, tools offered.
class ToolOffer {
 public:
  // The registry is read here alone; its status() is OK.
  explicit ToolOffer(const ToolRegistry& tools);

  bool empty() const { return definitions_.empty(); }
  // In the order of the registry.
  const std::vector<::agent::v1::McpToolDefinition>& definitions() const { return definitions_; }

  // The name, as it was registered, of the tool that the call means; nullopt if it means none of
  // them. The service may put the prefix of ModelName() before a name; a tool whose whole name is
  // the one that was called goes before one that is found without the prefix.
  std::optional<std::string> Find(const ::agent::v1::McpArgs& call) const;

  // The answer to a call that Find() knows no tool for. It names the first 64 that there are.
  ::agent::v1::McpResult NotFound(const ::agent::v1::McpArgs& call) const;

  // What a model calls that tool.
  static std::string ModelName(std::string_view name);

  // A sentence that tells a model which tools it has, for where it is told that it has not another.
  // "" if there are none.
  std::string Hint() const;

 private:
  bool Has(std::string_view name) const;

  std::vector<::agent::v1::McpToolDefinition> definitions_;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TOOLS_TOOL_OFFER_H_
