#include "mcp_servers.h"

#include <utility>

#include "common/mcp_config.h"
#include "openai/concat.h"

namespace cursor_gateway {

absl::StatusOr<std::shared_ptr<cursorwire::mcp::Servers>> StartMcpServers(
    const Options& options, const std::function<void(const std::string& line)>& log) {
  if (options.mcp_config.empty()) return nullptr;
  auto configs = cursor_apps::ReadMcpConfig(options.mcp_config, options.workspace);
  if (!configs.ok()) return configs.status();
  auto servers = std::make_shared<cursorwire::mcp::Servers>(*std::move(configs));
  servers->WaitUntilSettled({}, std::chrono::steady_clock::now() + kServersWait);
  for (const std::string& line : cursor_apps::McpNotices(servers->reports())) {
    log(Concat("mcp: ", line));
  }
  return servers;
}

}  // namespace cursor_gateway
