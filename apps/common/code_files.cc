#include "common/code_files.h"

#include <filesystem>
#include <system_error>

namespace cursor_apps {

void AddCodeFile(const std::string& file, std::vector<std::string>& files) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  if (!file.empty() && !error) files.push_back(absolute.lexically_normal().string());
}

void AddCodeFiles(const std::vector<std::string>& command, const std::string& folder,
                  std::vector<std::string>& files) {
  for (const std::string& word : command) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::path(folder) / word;
    // What is not there yet is run once it is.
    const bool is_path = word.find('/') != std::string::npos;
    if (is_path || std::filesystem::is_regular_file(path, error)) {
      AddCodeFile(path.string(), files);
    }
  }
}

void AddCodeFiles(const std::vector<cursorwire::mcp::ServerConfig>& servers,
                  std::vector<std::string>& files) {
  for (const cursorwire::mcp::ServerConfig& server : servers) {
    AddCodeFiles({server.command}, server.folder, files);
    AddCodeFiles(server.args, server.folder, files);
  }
}

}  // namespace cursor_apps
