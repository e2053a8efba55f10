#include "mcp_servers.h"

#include <utility>

#include "common/mcp_config.h"

namespace cursor_gateway {

using cursorwire::mcp::ServerConfig;
using cursorwire::mcp::ServerReport;
using cursorwire::mcp::Servers;

absl::StatusOr<std::vector<ServerConfig>> ReadMcpServers(const Options& options) {
  if (options.mcp_config.empty()) return std::vector<ServerConfig>();
  return cursor_apps::ReadMcpConfig(options.mcp_config, options.workspace);
}

std::shared_ptr<Servers> StartMcpServers(std::vector<ServerConfig> configs, McpLog& log) {
  if (configs.empty()) return nullptr;
  return std::make_shared<Servers>(std::move(configs),
                                   [&log](const ServerReport& report) { log.OnChange(report); });
}

void AwaitMcpServers(const std::shared_ptr<Servers>& servers, McpLog& log,
                     const std::stop_token& stop) {
  if (servers == nullptr) return;
  servers->WaitUntilSettled(stop, std::chrono::steady_clock::now() + kServersWait);
  if (!stop.stop_requested()) log.TellStart([&servers] { return servers->reports(); });
}

}  // namespace cursor_gateway
