#include "turn/mcp_servers.h"

#include <chrono>
#include <optional>
#include <utility>

#include "common/mcp_config.h"
#include "output/notices.h"
#include "own_files.h"

namespace cursor_chat {

using cursorwire::mcp::Servers;

absl::StatusOr<std::shared_ptr<Servers>> StartMcpServers(const Options& options,
                                                         RunningCommands& running) {
  if (options.mcp_config.empty()) return nullptr;
  auto configs = options.own_files->servers.ServersOf(options.workspace);
  if (!configs.ok()) return configs.status();
  return running.StartServers(*std::move(configs));
}

void AwaitMcpServers(const std::shared_ptr<Servers>& servers,
                     std::chrono::steady_clock::time_point end, Output& output) {
  if (servers == nullptr) return;
  using std::chrono::steady_clock;
  servers->WaitUntilSettled(
      {}, end == steady_clock::time_point::max() ? std::nullopt : std::optional(end));
  for (const std::string& line : cursor_apps::McpNotices(servers->reports())) {
    PrintNotice(output, line);
  }
}

void PrintMcpNews(const std::shared_ptr<Servers>& servers, cursor_apps::McpNews& news,
                  Output& output) {
  if (servers == nullptr) return;
  for (const cursorwire::mcp::ServerReport& report : servers->reports()) {
    for (const std::string& line : news.Next(report)) PrintNotice(output, line);
  }
}

}  // namespace cursor_chat
