// Room: src/mcp
#ifndef CURSORWIRE_MCP_SERVER_CONFIG_H_
#define CURSORWIRE_MCP_SERVER_CONFIG_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/channel_options.h"
#include "cursorwire/export.h"
#include "cursorwire/sandbox.h"

namespace cursorwire::mcp {

// A server of tools: a command that is started, or a URL. A value.
struct ServerConfig {
  std::string name{};  // unique in its file

  // The program, which is looked for in PATH unless its name has a slash, and its arguments. No
  // shell is involved.
  std::string command{};
  std::vector<std::string> args{};
  std::map<std::string, std::string> env{};  // beside a safe part of ours; see docs/mcp.md
  std::string folder{};                      // where it starts; absolute
  // Its command runs in this sandbox (docs/sandbox.md), whose workspace is `folder`; nullopt:
  // without. Where there is no sandbox, it cannot be used.
  std::optional<SandboxPolicy> sandbox{};

  std::string url{};  // in place of `command`
  std::map<std::string, std::string> headers{};
  connect::ProxyChoice proxy{.from_environment = true};  // to the URL

  std::chrono::milliseconds startup_timeout{30'000};
  // Of a call, since its start or its last progress. A call ends after an hour in any case.
  std::chrono::milliseconds tool_timeout{600'000};

  // How long a server that has ended, or did not start, is left alone, after its second end in a
  // row: the pause doubles with each, up to the longest. Programs alone set them.
  std::chrono::milliseconds restart_pause{1'000};
  std::chrono::milliseconds longest_restart_pause{300'000};

  // Why the server cannot be used, such as a variable that is not set. It costs its own tools only.
  absl::Status error{};
};

struct ServerConfigOptions {
  // The value of a variable of the environment, for ${NAME}; nullopt: it is not set. Required. It
  // is never asked for a token of Cursor's.
  std::function<std::optional<std::string>(const std::string& name)> variable{};
  // Below which a `cwd` that is no absolute path is. Absolute.
  std::string folder{};
  // Where commands start that have no `cwd`; empty: in `folder`. Absolute. Launchers such as npx
  // and `python3 -m` run what they find where they start: it should be no folder of somebody
  // else's.
  std::string start_folder{};
};

// Reads a file of servers: {"mcpServers": {NAME: {...}}}; see docs/mcp.md. Servers that are
// disabled are left out. In the order of their names.
//   kInvalidArgument  the text is no such file; the message names the server and the member
CURSORWIRE_EXPORT absl::StatusOr<std::vector<ServerConfig>> ParseServerConfigs(
    std::string_view json, const ServerConfigOptions& options);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_MCP_SERVER_CONFIG_H_
