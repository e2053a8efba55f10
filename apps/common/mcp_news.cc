#include "common/mcp_news.h"

#include <utility>

#include "common/mcp_config.h"

namespace cursor_apps {

using cursorwire::mcp::ServerReport;
using cursorwire::mcp::ServerState;

std::vector<std::string> McpNews::Next(const ServerReport& report) {
  std::vector<std::string> lines;
  Told& told = told_[report.name];
  const bool first = !std::exchange(told.any, true);
  const bool failed = report.state == ServerState::kFailed;
  if (!first && !failed && report.state != ServerState::kReady) return lines;
  const std::string server = "server " + report.name + ": ";
  const std::string problem = McpProblem(report);
  // The reason may change with each attempt, such as by the time that it took.
  const bool still_away = told.failed && failed && report.is_tried_again;
  if (problem != told.problem && !still_away) {
    lines.push_back(server + (problem.empty() ? "it is ready" : problem) +
                    (report.is_tried_again ? "; it is tried again" : ""));
  }
  told.problem = problem;
  told.failed = failed;
  for (; told.notices < report.notices.size(); ++told.notices) {
    lines.push_back(server + report.notices[told.notices]);
  }
  return lines;
}

}  // namespace cursor_apps
