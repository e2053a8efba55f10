#include "mcp_config.h"

#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>

#include "prompt.h"

namespace cursor_chat {
namespace {

// A larger one is refused by the library too, which has not read it then.
constexpr size_t kMaxMcpConfigBytes = size_t{1024} * 1024;

std::optional<std::string> FindVariable(const std::string& name) {
  const char* value = ::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace

absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadMcpConfig(
    const std::string& file, const std::string& folder) {
  const absl::StatusOr<std::string> text = ReadFile(file, kMaxMcpConfigBytes);
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

}  // namespace cursor_chat
