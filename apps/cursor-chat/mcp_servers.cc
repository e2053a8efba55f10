#include "mcp_servers.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "mcp_config.h"
#include "notices.h"

namespace cursor_chat {

using cursorwire::mcp::ServerReport;
using cursorwire::mcp::Servers;
using cursorwire::mcp::ServerState;

absl::StatusOr<std::shared_ptr<Servers>> StartMcpServers(const Options& options,
                                                         RunningCommands& running) {
  if (options.mcp_config.empty()) return nullptr;
  auto configs = ReadMcpConfig(options.mcp_config, options.workspace);
  if (!configs.ok()) return configs.status();
  auto servers = std::make_shared<Servers>(*std::move(configs));
  running.Watch(servers);
  return servers;
}

void AwaitMcpServers(const std::shared_ptr<Servers>& servers, std::chrono::milliseconds max_time,
                     Output& output) {
  if (servers == nullptr) return;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  if (max_time.count() > 0) deadline = std::chrono::steady_clock::now() + max_time;
  servers->WaitUntilSettled({}, deadline);
  for (const ServerReport& report : servers->reports()) {
    const std::string problem = McpProblem(report);
    if (!problem.empty()) PrintNotice(output, "server " + report.name + ": " + problem);
    for (const std::string& notice : report.notices) {
      PrintNotice(output, "server " + report.name + ": " + notice);
    }
  }
}

std::string McpProblem(const ServerReport& report) {
  switch (report.state) {
    case ServerState::kReady:
      return "";
    case ServerState::kStarting:
      return "it is not ready yet";
    case ServerState::kStopped:
      return "it is stopped";
    case ServerState::kFailed:
      break;
  }
  return std::string(report.error.message());
}

}  // namespace cursor_chat
