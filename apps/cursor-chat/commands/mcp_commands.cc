#include "commands/mcp_commands.h"

#include <absl/strings/str_format.h>
#include <cursorwire/mcp/servers.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/json_line.h"
#include "common/mcp_config.h"
#include "common/visible_text.h"
#include "output/redacted_json.h"

namespace cursor_chat {
namespace {

using cursor_apps::McpProblem;
using cursorwire::mcp::ServerReport;
using cursorwire::mcp::ServerTool;
using nlohmann::json;

constexpr size_t kMaxShownDescription = 100;

std::string FirstLineOf(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= kMaxShownDescription) return line;
  line.resize(kMaxShownDescription);
  cursor_apps::CutToWholeCharacters(line);
  return line + "...";
}

std::string ToolText(const ServerTool& tool) {
  std::string text = "      " + cursor_apps::ExactLine(tool.name);
  if (tool.offered_name != tool.name) text += " (offered as " + tool.offered_name + ")";
  for (const std::string& hint : tool.hints) text += " [" + hint + "]";
  text += "\n";
  if (!tool.description.empty())
    text += "          " + cursor_apps::ExactLine(FirstLineOf(tool.description)) + "\n";
  return text;
}

std::string OfferText(const ServerReport& report) {
  const size_t count = report.tools.size();
  std::string text = count == 1 ? "1 tool" : std::to_string(count) + " tools";
  if (!report.has_tools) text = "no tools (it says so)";
  return text + (report.has_resources ? " and resources" : "");
}

// What the server says of itself, which may be nothing.
std::string ProgramText(const ServerReport& report) {
  std::string text = cursor_apps::ExactLine(report.server_name);
  if (!text.empty() && !report.server_version.empty()) text += " ";
  text += cursor_apps::ExactLine(report.server_version);
  return text.empty() ? text : text + ", ";
}

std::string ServerText(const ServerReport& report, bool with_tools) {
  const std::string problem = McpProblem(report);
  std::string text =
      absl::StrFormat("%-4s  %-24s %8d ms  ", problem.empty() ? "ok" : "fail",
                      cursor_apps::ExactLine(report.name), report.startup_time.count());
  if (!problem.empty()) {
    text += cursor_apps::ExactLine(problem) + "\n";
  } else {
    text += OfferText(report) + "; " + ProgramText(report) + "protocol " + report.protocol_version +
            "\n";
  }
  for (const std::string& notice : report.notices)
    text += "      note: " + cursor_apps::ExactLine(notice) + "\n";
  if (!with_tools) return text;
  for (const ServerTool& tool : report.tools) text += ToolText(tool);
  return text;
}

json ToolJson(const ServerTool& tool) {
  return {{"name", tool.name},
          {"offered_name", tool.offered_name},
          {"title", tool.title},
          {"description", tool.description},
          {"input_schema", json::parse(tool.input_schema, nullptr, false)},
          {"hints", tool.hints}};
}

json ServerJson(const ServerReport& report, bool with_tools) {
  const std::string problem = McpProblem(report);
  json server = {{"name", report.name},
                 {"provider", report.provider},
                 {"ok", problem.empty()},
                 {"error", problem},
                 {"ms", report.startup_time.count()},
                 {"server_name", report.server_name},
                 {"server_version", report.server_version},
                 {"protocol_version", report.protocol_version},
                 {"notices", report.notices},
                 {"tool_count", report.tools.size()},
                 {"has_tools", report.has_tools},
                 {"has_resources", report.has_resources}};
  if (!with_tools) return server;
  server["instructions"] = report.instructions;
  server["tools"] = json::array();
  for (const ServerTool& tool : report.tools) server["tools"].push_back(ToolJson(tool));
  return server;
}

}  // namespace

absl::Status RunMcpCommand(const Options& options, RunningCommands& running, Output& output) {
  auto configs = cursor_apps::ReadMcpConfig(options.words[0], options.workspace, options.proxy);
  if (!configs.ok()) return configs.status();
  const auto servers = running.StartServers(*std::move(configs));
  servers->WaitUntilSettled();
  const bool with_tools = options.command == Command::kMcpList;
  const std::vector<ServerReport> reports = servers->reports();
  size_t failed = 0;
  json list = json::array();
  for (const ServerReport& report : reports) {
    if (!McpProblem(report).empty()) ++failed;
    if (options.format == Format::kJson) {
      list.push_back(ServerJson(report, with_tools));
    } else {
      output.Write(output.redactor().Redact(ServerText(report, with_tools)));
    }
  }
  if (options.format == Format::kJson) {
    json object = {{"ok", failed == 0}, {"servers", std::move(list)}};
    RedactStrings(output.redactor(), object);
    output.Write(cursor_apps::JsonLine(object) + "\n");
  }
  running.StopServers();
  if (!output.status().ok()) return output.status();
  if (failed == 0) return absl::OkStatus();
  return absl::UnknownError(std::to_string(failed) + " of " + std::to_string(reports.size()) +
                            " servers cannot be used");
}

}  // namespace cursor_chat
