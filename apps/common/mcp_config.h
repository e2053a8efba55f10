#ifndef CURSORWIRE_APPS_COMMON_MCP_CONFIG_H_
#define CURSORWIRE_APPS_COMMON_MCP_CONFIG_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/server_config.h>
#include <cursorwire/mcp/servers.h>

#include <string>
#include <vector>

namespace cursor_apps {

// Reads the file of --mcp-config. `workspace` ("": the current folder) is `${workspaceFolder}` in
// it, and a relative `cwd` is below it. Commands start in the folder of the file, since what they
// run may depend on where they start, and the workspace may be somebody else's. `proxy` is for
// servers that are URLs.
//   kInvalidArgument  it cannot be read, or is no such file; the message names it
absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadMcpConfig(
    const std::string& file, const std::string& workspace,
    const cursorwire::connect::ProxyChoice& proxy);

// The same for several workspaces: the file is read once. A value.
class McpConfigFile {
 public:
  McpConfigFile() = default;  // without servers

  //   kInvalidArgument  as of ReadMcpConfig()
  static absl::StatusOr<McpConfigFile> Read(const std::string& file,
                                            const cursorwire::connect::ProxyChoice& proxy);
  absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ServersOf(
      const std::string& workspace) const;

 private:
  std::string file_;
  std::string text_;
  std::string folder_;  // of the file
  cursorwire::connect::ProxyChoice proxy_;
};

// The user's own folder, HOME; "/" where there is none.
std::string HomeFolder();

// Why a server cannot be used, in one line: "" if it can.
std::string McpProblem(const cursorwire::mcp::ServerReport& report);

// What a user should know of servers: a line for each that cannot be used, and for what is left
// out.
std::vector<std::string> McpNotices(const std::vector<cursorwire::mcp::ServerReport>& reports);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_MCP_CONFIG_H_
