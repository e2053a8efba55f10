#include "common/code_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace cursor_apps {
namespace {

constexpr std::string_view kQuotes = "\"'";
constexpr std::string_view kSeparators = " \t\r\n\"'`;|&<>(){}=$,:";
// Folders that one command names.
constexpr size_t kMaxFolders = 32;

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// As a shell reads it that starts in `folder`.
std::string WithVariables(std::string word, const std::string& folder) {
  std::error_code error;
  const std::string start = folder.empty() ? std::filesystem::current_path(error).string()
                                           : std::filesystem::absolute(folder, error).string();
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  for (const char* name : {"${PWD}", "$PWD"}) word = Replaced(std::move(word), name, start);
  if (home == nullptr) return word;
  for (const char* name : {"${HOME}", "$HOME"}) word = Replaced(std::move(word), name, home);
  return Replaced(std::move(word), "~/", std::string(home) + "/");
}

// A name may follow options of one letter, as in "-fFILE" and "-nfFILE".
void AddName(std::string name, std::vector<std::string>& names) {
  if (name.starts_with('-')) {
    constexpr size_t kMaxLetters = 4;
    for (size_t start = 2; start < std::min(name.size(), 2 + kMaxLetters); ++start) {
      names.push_back(name.substr(start));
    }
  }
  names.push_back(std::move(name));
}

void AddParts(std::string_view text, std::vector<std::string>& names) {
  std::string part;
  const auto end = [&part, &names] {
    if (!part.empty()) AddName(std::exchange(part, {}), names);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      part += text[++i];
    } else if (kSeparators.find(text[i]) == kSeparators.npos) {
      part += text[i];
    } else {
      end();
    }
  }
  end();
}

// What stands between two quotes may have blanks.
void AddQuoted(std::string_view text, std::vector<std::string>& names) {
  for (size_t start = text.find_first_of(kQuotes); start != text.npos;) {
    const size_t end = text.find(text[start], start + 1);
    if (end == text.npos) return;
    names.emplace_back(text.substr(start + 1, end - start - 1));
    start = text.find_first_of(kQuotes, end + 1);
  }
}

// What may be the name of a file in a word of a command: the word, and, since it may be text for a
// shell ("cd scripts && sh run.sh") or an option ("--config=a.json"), its parts.
std::vector<std::string> NamesIn(const std::string& word, const std::string& folder) {
  std::vector<std::string> names;
  AddName(word, names);
  const std::string text = WithVariables(word, folder);
  AddQuoted(text, names);
  AddParts(text, names);
  std::string unquoted = text;
  std::erase_if(unquoted, [](char c) { return kQuotes.find(c) != kQuotes.npos; });
  AddParts(unquoted, names);
  return names;
}

// Where the command may go, from its start.
std::vector<std::filesystem::path> FoldersIn(const std::vector<std::string>& names,
                                             const std::string& folder) {
  std::vector<std::filesystem::path> folders = {folder};
  for (size_t i = 0; i < folders.size(); ++i) {
    for (const std::string& name : names) {
      if (folders.size() == kMaxFolders) return folders;
      std::error_code error;
      std::filesystem::path path = (folders[i] / name).lexically_normal();
      const bool is_known = std::find(folders.begin(), folders.end(), path) != folders.end();
      if (!is_known && std::filesystem::is_directory(path, error)) {
        folders.push_back(std::move(path));
      }
    }
  }
  return folders;
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
  for (const std::string& word : command) {
    std::vector<std::string> more = NamesIn(word, folder);
    std::move(more.begin(), more.end(), std::back_inserter(names));
  }
  const std::vector<std::filesystem::path> folders = FoldersIn(names, folder);
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
