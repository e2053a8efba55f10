#include "mcp_servers.h"

#include <utility>

#include "common/mcp_config.h"
#include "openai/concat.h"

namespace cursor_gateway {

absl::StatusOr<std::shared_ptr<cursorwire::mcp::Servers>> StartMcpServers(const Options& options) {
  if (options.mcp_config.empty()) return nullptr;
  auto configs = cursor_apps::ReadMcpConfig(options.mcp_config, options.workspace);
  if (!configs.ok()) return configs.status();
  return std::make_shared<cursorwire::mcp::Servers>(*std::move(configs));
}

void AwaitMcpServers(const std::shared_ptr<cursorwire::mcp::Servers>& servers,
                     const std::function<void(const std::string& line)>& log,
                     const std::stop_token& stop) {
  if (servers == nullptr) return;
  servers->WaitUntilSettled(stop, std::chrono::steady_clock::now() + kServersWait);
  if (stop.stop_requested()) return;
  for (const std::string& line : cursor_apps::McpNotices(servers->reports())) {
    log(Concat("mcp: ", line));
  }
}

}  // namespace cursor_gateway
