#include "mcp_log.h"

#include <utility>

#include "common/mcp_config.h"
#include "openai/concat.h"

namespace cursor_gateway {

using cursorwire::mcp::ServerReport;
using cursorwire::mcp::ServerState;

McpLog::McpLog(std::function<void(const std::string& line)> log) : log_(std::move(log)) {}

void McpLog::TellStart(const std::function<std::vector<ServerReport>()>& reports) {
  // With the lock, so that no change falls between the reports and what is told of them.
  const std::lock_guard lock(mutex_);
  const std::vector<ServerReport> all = reports();
  for (const ServerReport& report : all) {
    told_[report.name] = {.problem = cursor_apps::McpProblem(report),
                          .notices = report.notices.size()};
  }
  for (const std::string& line : cursor_apps::McpNotices(all)) log_(Concat("mcp: ", line));
}

void McpLog::OnChange(const ServerReport& report) {
  if (report.state != ServerState::kReady && report.state != ServerState::kFailed) return;
  const std::lock_guard lock(mutex_);
  const auto found = told_.find(report.name);
  if (found == told_.end()) return;
  Told& told = found->second;
  const std::string server = Concat("mcp: server ", report.name, ": ");
  const std::string problem = cursor_apps::McpProblem(report);
  if (problem != told.problem) log_(Concat(server, problem.empty() ? "it is ready" : problem));
  told.problem = problem;
  for (; told.notices < report.notices.size(); ++told.notices) {
    log_(Concat(server, report.notices[told.notices]));
  }
}

}  // namespace cursor_gateway
