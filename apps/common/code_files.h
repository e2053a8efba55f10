#ifndef CURSORWIRE_APPS_COMMON_CODE_FILES_H_
#define CURSORWIRE_APPS_COMMON_CODE_FILES_H_

#include <absl/status/status.h>
#include <cursorwire/mcp/server_config.h>

#include <string>
#include <vector>

namespace cursor_apps {

// Which files decide what a program of ours runs, for LocalExecOptions::code_files: whoever may
// write them needs no permission to run commands.

// An option that names a file; empty: none.
void AddCodeFile(const std::string& file, std::vector<std::string>& files);

// What the words of a command name, in whole or in part, that is a file or a path, for a command
// that starts in `folder` ("": the current one). A folder that they name, as in "cd FOLDER", counts
// as another place to start. What a program finds without a name (make its Makefile) is not known.
//   kInvalidArgument  it names too many, so that not all can be protected
absl::Status AddCodeFiles(const std::vector<std::string>& command, const std::string& folder,
                          std::vector<std::string>& files);
// The same of servers of tools.
absl::Status AddCodeFiles(const std::vector<cursorwire::mcp::ServerConfig>& servers,
                          std::vector<std::string>& files);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_CODE_FILES_H_
