#include "mcp_log.h"

#include <utility>

#include "common/mcp_config.h"
#include "openai/concat.h"

namespace cursor_gateway {

using cursorwire::mcp::ServerReport;
using cursorwire::mcp::ServerState;

McpLog::McpLog(std::function<void(const std::string& line)> log) : log_(std::move(log)) {}

void McpLog::TellStart(const std::vector<ServerReport>& reports) {
  const std::lock_guard lock(mutex_);
  for (const ServerReport& report : reports) told_[report.name] = cursor_apps::McpProblem(report);
  for (const std::string& line : cursor_apps::McpNotices(reports)) log_(Concat("mcp: ", line));
}

void McpLog::OnChange(const ServerReport& report) {
  if (report.state != ServerState::kReady && report.state != ServerState::kFailed) return;
  const std::string problem = cursor_apps::McpProblem(report);
  const std::lock_guard lock(mutex_);
  const auto told = told_.find(report.name);
  if (told == told_.end() || told->second == problem) return;
  told->second = problem;
  const bool is_ready = problem.empty();
  log_(Concat("mcp: server ", report.name, ": ", is_ready ? "it is ready" : problem));
}

}  // namespace cursor_gateway
