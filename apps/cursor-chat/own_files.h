#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OWN_FILES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OWN_FILES_H_

#include <absl/status/statusor.h>
#include <cursorwire/command_tools.h>

#include <cstddef>
#include <string>
#include <vector>

#include "common/mcp_config.h"
#include "options.h"

namespace cursor_chat {

inline constexpr size_t kMaxToolsFileBytes = size_t{16} * 1024 * 1024;

// What the files say that decide what this program runs. They are read once, before any turn: an
// agent that may write in their folder must not be able to change it. A value.
struct OwnFiles {
  std::vector<cursorwire::CommandTool> tools{};  // of --tools
  cursor_apps::McpConfigFile servers{};          // of --mcp-config
  // These files, others that the options name, and the programs that they name: absolute paths, for
  // LocalExecOptions::code_files. Those of servers are not among them.
  std::vector<std::string> paths{};
};

//   kInvalidArgument  a file cannot be read, or is wrong
absl::StatusOr<OwnFiles> ReadOwnFiles(const Options& options);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OWN_FILES_H_
