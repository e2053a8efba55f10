#include "own_files.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "common/code_files.h"
#include "common/read_file.h"

namespace cursor_chat {
namespace {

absl::StatusOr<std::vector<cursorwire::CommandTool>> ReadTools(const std::string& file) {
  const absl::StatusOr<std::string> text = cursor_apps::ReadFile(file, kMaxToolsFileBytes);
  if (!text.ok()) return text.status();
  auto tools = cursorwire::ParseCommandTools(*text);
  if (tools.ok()) return tools;
  return absl::InvalidArgumentError(file + ": " + std::string(tools.status().message()));
}

}  // namespace

absl::StatusOr<OwnFiles> ReadOwnFiles(const Options& options) {
  OwnFiles own;
  for (const std::string& file : {options.tools_file, options.mcp_config, options.ca_file,
                                  options.session_file, options.trace_file}) {
    cursor_apps::AddCodeFile(file, own.paths);
  }
  for (const std::string& file : options.rules_files) cursor_apps::AddCodeFile(file, own.paths);
  if (!options.tools_file.empty()) {
    auto tools = ReadTools(options.tools_file);
    if (!tools.ok()) return tools.status();
    own.tools = *std::move(tools);
  }
  for (const cursorwire::CommandTool& tool : own.tools) {
    absl::Status status = cursor_apps::AddCodeFiles(tool.command, "", own.paths);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(options.tools_file, ": ", tool.definition.name, ": ", status.message()));
    }
  }
  if (!options.mcp_config.empty()) {
    absl::StatusOr<cursor_apps::McpConfigFile> servers =
        cursor_apps::McpConfigFile::Read(options.mcp_config, options.proxy);
    if (!servers.ok()) return servers.status();
    own.servers = *std::move(servers);
  }
  return own;
}

}  // namespace cursor_chat
