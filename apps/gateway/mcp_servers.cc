#include "mcp_servers.h"

#include <utility>

#include "common/mcp_config.h"

namespace cursor_gateway {

using cursorwire::mcp::ServerReport;
using cursorwire::mcp::Servers;

absl::StatusOr<std::shared_ptr<Servers>> StartMcpServers(const Options& options, McpLog& log) {
  if (options.mcp_config.empty()) return nullptr;
  auto configs = cursor_apps::ReadMcpConfig(options.mcp_config, options.workspace);
  if (!configs.ok()) return configs.status();
  return std::make_shared<Servers>(*std::move(configs),
                                   [&log](const ServerReport& report) { log.OnChange(report); });
}

void AwaitMcpServers(const std::shared_ptr<Servers>& servers, McpLog& log,
                     const std::stop_token& stop) {
  if (servers == nullptr) return;
  servers->WaitUntilSettled(stop, std::chrono::steady_clock::now() + kServersWait);
  if (!stop.stop_requested()) log.TellStart(servers->reports());
}

}  // namespace cursor_gateway
