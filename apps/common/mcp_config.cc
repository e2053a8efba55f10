#include "common/mcp_config.h"

#include <stdlib.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace cursor_apps {
namespace {

using cursorwire::mcp::ServerReport;
using cursorwire::mcp::ServerState;

// A larger one is refused by the library too, which has not read it then.
constexpr size_t kMaxMcpConfigBytes = size_t{1024} * 1024;

std::optional<std::string> FindVariable(const std::string& name) {
  const char* value = ::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<std::string> ReadText(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMaxMcpConfigBytes + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.eof() && !stream.good()) {
    return absl::InvalidArgumentError("cannot read " + file + ": " +
                                      std::generic_category().message(errno));
  }
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() <= kMaxMcpConfigBytes) return text;
  return absl::InvalidArgumentError(file + " is larger than " + std::to_string(kMaxMcpConfigBytes) +
                                    " bytes");
}

// A pipe, such as that of `<(...)`, is in no folder of the user's.
std::string FolderOf(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return HomeFolder();
  // By links, as the file itself is found: "link/../servers.json" is not beside the link.
  const auto folder =
      std::filesystem::canonical(std::filesystem::absolute(file, error).parent_path(), error);
  return error ? HomeFolder() : folder.string();
}

}  // namespace

std::string HomeFolder() {
  const std::string home = FindVariable("HOME").value_or("");
  std::error_code error;
  return home.starts_with('/') && std::filesystem::is_directory(home, error) ? home : "/";
}

absl::StatusOr<McpConfigFile> McpConfigFile::Read(const std::string& file,
                                                  const cursorwire::connect::ProxyChoice& proxy) {
  absl::StatusOr<std::string> text = ReadText(file);
  if (!text.ok()) return text.status();
  McpConfigFile config;
  config.file_ = file;
  config.text_ = *std::move(text);
  config.folder_ = FolderOf(file);
  config.proxy_ = proxy;
  const auto checked = config.ServersOf("");
  if (!checked.ok()) return checked.status();
  return config;
}

absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> McpConfigFile::ServersOf(
    const std::string& workspace) const {
  if (file_.empty()) return std::vector<cursorwire::mcp::ServerConfig>();
  std::error_code error;
  const std::string folder =
      std::filesystem::absolute(workspace.empty() ? "." : workspace, error).lexically_normal();
  if (error) return absl::InvalidArgumentError("the current folder: " + error.message());
  const auto find_variable = [&folder](const std::string& name) {
    return name == "workspaceFolder" ? folder : FindVariable(name);
  };
  auto configs = cursorwire::mcp::ParseServerConfigs(
      text_, {.variable = find_variable, .folder = folder, .start_folder = folder_});
  if (!configs.ok()) {
    return absl::InvalidArgumentError(file_ + ": " + std::string(configs.status().message()));
  }
  for (cursorwire::mcp::ServerConfig& config : *configs) config.proxy = proxy_;
  return configs;
}

absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadMcpConfig(
    const std::string& file, const std::string& workspace,
    const cursorwire::connect::ProxyChoice& proxy) {
  const absl::StatusOr<McpConfigFile> config = McpConfigFile::Read(file, proxy);
  if (!config.ok()) return config.status();
  return config->ServersOf(workspace);
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

std::vector<std::string> McpNotices(const std::vector<ServerReport>& reports) {
  std::vector<std::string> lines;
  for (const ServerReport& report : reports) {
    const std::string problem = McpProblem(report);
    if (!problem.empty()) lines.push_back("server " + report.name + ": " + problem);
    for (const std::string& notice : report.notices) {
      lines.push_back("server " + report.name + ": " + notice);
    }
  }
  return lines;
}

}  // namespace cursor_apps
