#include "mcp_log.h"

#include <utility>

#include "openai/concat.h"

namespace cursor_gateway {

using cursorwire::mcp::ServerReport;

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

}  // namespace cursor_gateway
