// Room: src/agent/tools
#ifndef CURSORWIRE_TOOL_REGISTRY_H_
#define CURSORWIRE_TOOL_REGISTRY_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/tool.h"
#include "cursorwire/tool_reply.h"

namespace cursorwire {

class ExecHandler;

// The functions that a program offers to the agent. A value: copies share the handlers.
//
//   ToolRegistry tools;
//   tools.Add({.name = "now", .description = "The time"}, [](const ToolCall&) {
//     return ToolResult::Text(Clock());
//   });
//
// Handlers are called on threads of the Client, several at a time: they must be thread-safe. What a
// handler throws becomes a tool error. These threads block signals: see ExecHandler.
class CURSORWIRE_EXPORT ToolRegistry {
 public:
  // Answers by what it returns. A status becomes a result with `is_error`.
  using Handler = std::function<absl::StatusOr<ToolResult>(const ToolCall& call)>;
  // Returns soon, and answers by the reply at any time.
  using LaterHandler = std::function<void(const ToolCall& call, ToolReply reply)>;

  // What is wrong with a definition shows in status().
  ToolRegistry& Add(ToolDefinition definition, Handler handler);
  ToolRegistry& AddLater(ToolDefinition definition, LaterHandler handler);

  // Tells the model how to use the tools of one server. Empty texts and texts that are not UTF-8
  // are ignored.
  ToolRegistry& AddInstructions(ToolInstructions instructions);

  // Names a server for an agent that asks for the state of servers. It is told of the providers of
  // tools in any case, under the name of their provider. Texts that are not UTF-8 are ignored.
  ToolRegistry& AddServer(ToolServer server);

  // Serves the resources of the servers behind these tools: ListMcpResources() and
  // ReadMcpResource() of `handler`, which go before those of ClientOptions::exec_handler. They are
  // asked for in any case, as tools are, also where RunOptions::hand_out_execs is false.
  ToolRegistry& ServeResources(std::shared_ptr<ExecHandler> handler);

  // The first thing that was wrong with an Add(); a turn with such a registry ends with it at once.
  //   kInvalidArgument  a bad name or text, no handler, or a schema that is no JSON object
  //   kAlreadyExists    two tools of one name, or of one provider and tool_name
  const absl::Status& status() const { return status_; }

  bool empty() const { return tools_.empty(); }
  size_t size() const { return tools_.size(); }
  // In the order in which they were added.
  const ToolDefinition& definition(size_t index) const { return tools_[index]->definition; }

  // In the order in which they were added.
  const std::vector<ToolInstructions>& instructions() const { return instructions_; }
  const std::vector<ToolServer>& servers() const { return servers_; }

  // Of ServeResources(); nullptr: there is none.
  const std::shared_ptr<ExecHandler>& resources() const { return resources_; }

  // Calls the handler of `call.name`, and `reply` gets its answer; kNotFound if there is none.
  // Never throws.
  void Call(const ToolCall& call, const ToolReply& reply) const;

 private:
  struct Tool {
    ToolDefinition definition;
    LaterHandler handler;
  };

  std::vector<std::shared_ptr<const Tool>> tools_;  // shared by copies of the registry
  std::vector<ToolInstructions> instructions_;
  std::vector<ToolServer> servers_;
  std::shared_ptr<ExecHandler> resources_;  // shared by copies of the registry, as the tools
  absl::Status status_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_TOOL_REGISTRY_H_
