#include "client/machine/cli_config.h"

#include <optional>

#include "wire/json.h"

namespace cursorwire {
namespace {

std::string PathOf(const ProcessEnvironment& process_environment) {
  std::string directory = process_environment.variable("CURSOR_CONFIG_DIR");
  if (directory.empty()) {
    const std::string home = process_environment.variable("HOME");
    if (home.empty()) return "";
    directory = home + "/.cursor";
  }
  return directory + "/cli-config.json";
}

std::vector<std::string> AgentUrlsOf(std::string_view json) {
  const absl::StatusOr<wire::Json> root = wire::ParseJson(json);
  if (!root.ok()) return {};
  const wire::Json* config = root->Find("serverConfigCache");
  if (config != nullptr) config = config->Find("agentUrlConfig");
  if (config == nullptr) return {};
  std::vector<std::string> urls;
  for (const char* key : {"agentnUrl", "agentUrl"}) {
    if (const std::string_view url = config->FindString(key); !url.empty()) urls.emplace_back(url);
  }
  return urls;
}

}  // namespace

CliConfig ReadCliConfig(const ProcessEnvironment& process_environment) {
  CliConfig config{.path = PathOf(process_environment)};
  if (config.path.empty()) return config;
  if (const std::optional<std::string> json = process_environment.file(config.path)) {
    config.agent_urls = AgentUrlsOf(*json);
  }
  return config;
}

}  // namespace cursorwire
