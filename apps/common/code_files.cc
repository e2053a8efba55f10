#include "common/code_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cursor_apps {
namespace {

// What may be the name of a file in a word of a command: the word, and, since it may be text for a
// shell ("cd scripts && sh run.sh") or an option ("--config=a.json"), its parts.
void AddNames(const std::string& word, std::vector<std::string>& names) {
  constexpr char kSeparators[] = " \t\r\n\"'`;|&<>(){}=$,:";
  names.push_back(word);
  for (size_t start = 0; start < word.size();) {
    const size_t end = std::min(word.find_first_of(kSeparators, start), word.size());
    if (end > start && end - start < word.size()) names.push_back(word.substr(start, end - start));
    start = end + 1;
  }
}

}  // namespace

void AddCodeFile(const std::string& file, std::vector<std::string>& files) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  if (!file.empty() && !error) files.push_back(absolute.lexically_normal().string());
}

void AddCodeFiles(const std::vector<std::string>& command, const std::string& folder,
                  std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& word : command) AddNames(word, names);
  std::vector<std::filesystem::path> folders = {folder};
  for (const std::string& name : names) {
    std::error_code error;
    std::filesystem::path path = folders.front() / name;
    if (std::filesystem::is_directory(path, error)) folders.push_back(std::move(path));
  }
  for (const std::string& name : names) {
    // What is not there yet is run once it is.
    const bool is_path = name.find('/') != std::string::npos;
    for (const std::filesystem::path& place : folders) {
      std::error_code error;
      const std::filesystem::path path = place / name;
      if (is_path || std::filesystem::is_regular_file(path, error)) {
        AddCodeFile(path.string(), files);
      }
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
