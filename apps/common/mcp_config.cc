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

}  // namespace

absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadMcpConfig(
    const std::string& file, const std::string& folder) {
  const absl::StatusOr<std::string> text = ReadText(file);
  if (!text.ok()) return text.status();
  std::error_code error;
  const std::filesystem::path absolute =
      std::filesystem::absolute(folder.empty() ? "." : folder, error);
  if (error) return absl::InvalidArgumentError("the current folder: " + error.message());
  auto configs = cursorwire::mcp::ParseServerConfigs(
      *text, {.variable = FindVariable, .folder = absolute.lexically_normal().string()});
  if (configs.ok()) return configs;
  return absl::InvalidArgumentError(file + ": " + std::string(configs.status().message()));
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
