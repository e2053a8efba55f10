#ifndef CURSORWIRE_SRC_AGENT_TOOLS_TOOL_OFFER_H_
#define CURSORWIRE_SRC_AGENT_TOOLS_TOOL_OFFER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/v1/mcp.pb.h"
#include "cursorwire/tools.h"

namespace cursorwire::agent {

// The client's tools in the form that the service knows: their definitions, and which of them a
// call means. A value. Source: docs/protocol.md, tools offered.
class ToolOffer {
 public:
  // Reads the registry only here; its status() must be OK.
  explicit ToolOffer(const ToolRegistry& tools);

  bool empty() const { return definitions_.empty(); }
  // In the order of the registry.
  const std::vector<::agent::v1::McpToolDefinition>& definitions() const { return definitions_; }

  // As they were added.
  const std::vector<ToolInstructions>& instructions() const { return instructions_; }

  // What a client that is asked for the state of its servers answers: the servers of the registry,
  // then the other providers of tools, each with its tools and instructions.
  ::agent::v1::McpStateSuccess State() const;
  // It has nothing to say then.
  bool has_servers() const { return !servers_.empty() || !definitions_.empty(); }

  // The registered name of the tool that the call means; nullopt if it means none of the tools. The
  // service may put the prefix of ModelName() before a name. A tool of the provider that the call
  // names goes first, then one with exactly the called name, then one that is found by the prefix.
  std::optional<std::string> Find(const ::agent::v1::McpArgs& call) const;

  // The answer to a call for which Find() has no tool. It lists the first 64 tools.
  ::agent::v1::McpResult NotFound(const ::agent::v1::McpArgs& call) const;

  // The name under which a model calls a tool of that provider; empty: of the program itself.
  static std::string ModelName(std::string_view name, std::string_view provider = "");

  // Lists the available tools in one sentence, for refusal messages. "" if there are none.
  std::string Hint() const;

 private:
  bool Has(std::string_view name) const;

  std::vector<::agent::v1::McpToolDefinition> definitions_;
  std::vector<ToolInstructions> instructions_;
  std::vector<ToolServer> servers_;
};

// Instructions as the service knows them.
::agent::v1::McpInstructions ToMessage(const ToolInstructions& instructions);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TOOLS_TOOL_OFFER_H_
