#ifndef CURSORWIRE_SRC_MCP_RESOURCE_HANDLER_H_
#define CURSORWIRE_SRC_MCP_RESOURCE_HANDLER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/mcp/servers.h"
#include "mcp/server_loop.h"

namespace cursorwire::mcp {

// The resources of servers, for the agent. Lists are given as they are; the policy decides on each
// reading. What no server has is refused: an empty list would look like a success. Thread-safe.
class ResourceHandler final : public ExecHandler {
 public:
  // A server that says that it has resources.
  struct Server {
    std::string name{};      // in the configuration
    std::string provider{};  // what the agent is told; it may ask by both
    ServerLoop* loop = nullptr;
  };
  // `owner` keeps the loops alive. The policy may be empty.
  ResourceHandler(std::vector<Server> servers, std::shared_ptr<const void> owner,
                  CallPolicy policy);

  absl::StatusOr<ListMcpResourcesOutput> ListMcpResources(const ListMcpResourcesArgs& args,
                                                          const ActionContext& context) override;
  absl::StatusOr<ReadMcpResourceOutput> ReadMcpResource(const ReadMcpResourceArgs& args,
                                                        const ActionContext& context) override;

 private:
  absl::StatusOr<const Server*> Find(const std::string& name) const;

  const std::vector<Server> servers_;
  const std::shared_ptr<const void> owner_;  // shared with the servers' own object
  const CallPolicy policy_;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_RESOURCE_HANDLER_H_
