#include "mcp_servers.h"

#include <utility>

#include "api/concat.h"
#include "common/mcp_config.h"

namespace cursor_gateway {

using cursorwire::mcp::ServerConfig;
using cursorwire::mcp::ServerReport;
using cursorwire::mcp::Servers;

McpLog::McpLog(std::function<void(const std::string& line)> log) : log_(std::move(log)) {}

void McpLog::TellStart(const std::function<std::vector<ServerReport>()>& reports) {
  // With the lock, so that no change falls between the reports and what is told of them.
  const std::lock_guard lock(mutex_);
  begun_ = true;
  for (const ServerReport& report : reports()) Tell(report);
}

void McpLog::OnChange(const ServerReport& report) {
  const std::lock_guard lock(mutex_);
  if (begun_) Tell(report);
}

void McpLog::Tell(const ServerReport& report) {
  for (const std::string& line : news_.Next(report)) log_(Concat("mcp: ", line));
}

absl::StatusOr<std::vector<ServerConfig>> ReadMcpServers(const Options& options) {
  if (options.mcp_config.empty()) return std::vector<ServerConfig>();
  return cursor_apps::ReadMcpConfig(options.mcp_config, options.workspace, options.proxy);
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
