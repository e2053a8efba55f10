#include "acp/session_servers.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace cursor_acp {
namespace {

using cursorwire::mcp::ServerConfig;

bool IsControl(unsigned char c) { return c < 0x20 || c == 0x7F; }

bool HasZero(const std::string& text) { return text.find('\0') != text.npos; }

using Pair = std::pair<std::string, std::string>;

bool IsVariable(const Pair& pair) {
  const auto& [name, value] = pair;
  return !name.empty() && name.find('=') == name.npos && !HasZero(name) && !HasZero(value);
}

// Source: RFC 9110, sections 5.1 and 5.5.
bool IsHeader(const Pair& pair) {
  const auto& [name, value] = pair;
  const auto is_token = [](unsigned char c) {
    return absl::ascii_isalnum(c) || (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token) &&
         std::none_of(value.begin(), value.end(),
                      [](unsigned char c) { return IsControl(c) && c != '\t'; });
}

// A list of {name, value}.
absl::StatusOr<std::map<std::string, std::string>> ReadPairs(const Json& server, const char* name,
                                                             bool (*fits)(const Pair& pair)) {
  std::map<std::string, std::string> pairs;
  const Json& list = MemberOf(server, name);
  if (list.is_null()) return pairs;
  if (!list.is_array()) return absl::InvalidArgumentError(absl::StrCat(name, " is no list"));
  for (const Json& pair : list) {
    const absl::StatusOr<std::string> key = RequireText(pair, "name");
    const absl::StatusOr<std::string> value = RequireText(pair, "value");
    if (!key.ok() || !value.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(name, " has a member without name and value"));
    }
    if (!fits({*key, *value})) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " has a member whose name or value has bytes that it cannot have"));
    }
    pairs[*key] = *value;
  }
  return pairs;
}

absl::Status ReadCommand(const Json& server, ServerConfig& config) {
  absl::StatusOr<std::string> command = RequireText(server, "command");
  if (!command.ok()) return command.status();
  if (command->empty() || HasZero(*command)) {
    return absl::InvalidArgumentError("command is empty or has a NUL");
  }
  config.command = *std::move(command);
  const Json& args = MemberOf(server, "args");
  if (!args.is_null() && !args.is_array()) return absl::InvalidArgumentError("args is no list");
  for (const Json& arg : args) {
    if (!arg.is_string()) return absl::InvalidArgumentError("args has a member that is no text");
    config.args.push_back(arg.get<std::string>());
    if (HasZero(config.args.back())) {
      return absl::InvalidArgumentError("args has a member with a NUL");
    }
  }
  absl::StatusOr<std::map<std::string, std::string>> env = ReadPairs(server, "env", IsVariable);
  if (!env.ok()) return env.status();
  config.env = *std::move(env);
  return absl::OkStatus();
}

absl::Status ReadUrl(const Json& server, ServerConfig& config) {
  absl::StatusOr<std::string> url = RequireText(server, "url");
  if (!url.ok()) return url.status();
  if (!url->starts_with("http://") && !url->starts_with("https://")) {
    return absl::InvalidArgumentError("url must begin with http:// or https://");
  }
  if (std::any_of(url->begin(), url->end(), IsControl)) {
    return absl::InvalidArgumentError("url has a control character");
  }
  config.url = *std::move(url);
  absl::StatusOr<std::map<std::string, std::string>> headers =
      ReadPairs(server, "headers", IsHeader);
  if (!headers.ok()) return headers.status();
  config.headers = *std::move(headers);
  return absl::OkStatus();
}

absl::StatusOr<ServerConfig> ReadServer(const Json& server, const std::string& folder) {
  absl::StatusOr<std::string> name = RequireText(server, "name");
  if (!name.ok()) return name.status();
  if (name->empty() || name->size() > kMaxSessionServerNameBytes ||
      std::any_of(name->begin(), name->end(), IsControl)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "name must have 1 to ", kMaxSessionServerNameBytes, " bytes without control characters"));
  }
  ServerConfig config{.name = *std::move(name), .folder = folder};
  const std::string type = TextOf(server, "type");
  const bool over_network = type == "http" || type == "sse";
  absl::Status read = over_network ? ReadUrl(server, config) : ReadCommand(server, config);
  if (!read.ok()) return read;
  if (type == "sse") {
    // The server costs its own tools only.
    config.error = absl::UnimplementedError("HTTP+SSE is not supported");
  }
  return config;
}

}  // namespace

absl::StatusOr<std::vector<ServerConfig>> ReadSessionServers(const Json& servers,
                                                             const std::string& folder) {
  std::vector<ServerConfig> configs;
  if (servers.is_null()) return configs;
  if (!servers.is_array()) return absl::InvalidArgumentError("mcpServers is no list");
  if (servers.size() > kMaxSessionServers) {
    return absl::InvalidArgumentError(
        absl::StrCat("mcpServers has more than ", kMaxSessionServers, " members"));
  }
  for (size_t i = 0; i < servers.size(); ++i) {
    absl::StatusOr<ServerConfig> config = ReadServer(servers[i], folder);
    if (!config.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("mcpServers[", i, "]: ", std::string(config.status().message())));
    }
    configs.push_back(*std::move(config));
  }
  return JoinServers(std::move(configs), {});
}

std::vector<ServerConfig> JoinServers(std::vector<ServerConfig> of_editor,
                                      std::vector<ServerConfig> of_file) {
  std::vector<ServerConfig> joined;
  for (std::vector<ServerConfig>* list : {&of_editor, &of_file}) {
    for (ServerConfig& config : *list) {
      const bool known = std::any_of(joined.begin(), joined.end(), [&config](const auto& other) {
        return other.name == config.name;
      });
      if (!known) joined.push_back(std::move(config));
    }
  }
  return joined;
}

}  // namespace cursor_acp
