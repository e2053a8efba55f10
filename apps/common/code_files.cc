#include "common/code_files.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace cursor_apps {
namespace {

constexpr std::string_view kQuotes = "\"'";
// What separates names outside of quotes, also within a word: "--config=FILE".
constexpr std::string_view kSeparators = " \t\r\n`;|&<>(){}=,:";
// Shells within the text of shells that are looked at.
constexpr int kMaxShells = 3;
// That one command names, and folders that these lead to.
constexpr size_t kMaxNames = 4096;
constexpr size_t kMaxFolders = 256;

bool IsOneOf(char c, std::string_view set) { return set.find(c) != set.npos; }

struct Places {
  std::string start{};  // $PWD, when the command starts
  std::string home{};   // $HOME; empty: there is none
};

Places PlacesOf(const std::string& folder) {
  std::error_code error;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return {.start = folder.empty() ? std::filesystem::current_path(error).string()
                                  : std::filesystem::absolute(folder, error).string(),
          .home = home == nullptr ? "" : home};
}

// Reads a text as a shell does, as far as the names of files go: quotes, escapes, $PWD, $HOME and
// ~. Any other variable ends a name.
class ShellText {
 public:
  ShellText(std::string_view text, const Places& places) : text_(text), places_(places) {}

  std::vector<std::string> Names() {
    while (!text_.empty()) Step();
    EndName();
    return std::move(names_);
  }

 private:
  void Step() {
    const char c = text_.front();
    if (c == '\\' && quote_ != '\'') return Escape();
    if (c == '$' && quote_ != '\'') return Variable();
    text_.remove_prefix(1);
    if (quote_ != 0) {
      if (c == quote_) {
        quote_ = 0;
      } else {
        name_ += c;
      }
    } else if (IsOneOf(c, kQuotes)) {
      quote_ = c;
    } else if (IsOneOf(c, kSeparators)) {
      EndName();
    } else if (c == '~' && name_.empty() && !places_.home.empty() &&
               (text_.empty() || text_.front() == '/' || IsOneOf(text_.front(), kSeparators))) {
      name_ = places_.home;
    } else {
      name_ += c;
    }
  }

  void Escape() {
    text_.remove_prefix(1);
    if (text_.starts_with("\r\n")) text_.remove_prefix(1);
    if (text_.empty()) return;
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c == '\n') return;  // the line goes on
    if (quote_ != 0 && !IsOneOf(c, "$`\"\\")) name_ += '\\';
    name_ += c;
  }

  void Variable() {
    const struct {
      std::string_view name;
      const std::string& value;
    } variables[] = {{"${PWD}", places_.start},
                     {"$PWD", places_.start},
                     {"${HOME}", places_.home},
                     {"$HOME", places_.home}};
    for (const auto& variable : variables) {
      if (!text_.starts_with(variable.name)) continue;
      text_.remove_prefix(variable.name.size());
      name_ += variable.value;
      return;
    }
    text_.remove_prefix(1);
    EndName();
  }

  void EndName() {
    if (!name_.empty()) names_.push_back(std::exchange(name_, {}));
  }

  std::string_view text_;  // the rest
  const Places& places_;
  char quote_ = 0;
  std::string name_;
  std::vector<std::string> names_;
};

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

// What may be the name of a file in a word of a command: the word, and, since it may be text for a
// shell ("cd scripts && sh run.sh") or an option ("--config=a.json"), what is named in it.
void AddNames(const std::string& word, const Places& places, int shells,
              std::vector<std::string>& names) {
  for (std::string& name : ShellText(word, places).Names()) {
    const bool may_be_text = name.find_first_of(" \t\n\"'\\$;|&<>()={}`,:") != name.npos;
    if (may_be_text && shells < kMaxShells && name != word) {
      AddNames(name, places, shells + 1, names);
    }
    AddName(std::move(name), names);
  }
}

std::vector<std::string> NamesIn(const std::string& word, const Places& places) {
  std::vector<std::string> names;
  AddName(word, names);
  AddNames(word, places, 1, names);
  // "cd" alone.
  if (!places.home.empty() && word.find("cd") != word.npos) names.push_back(places.home);
  return names;
}

// Which file or folder it is, whatever the path.
struct Identity {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const Identity&) const = default;
};

std::optional<Identity> FolderAt(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return std::nullopt;
  return Identity{.device = info.st_dev, .number = info.st_ino};
}

// Where the command may go, from its start.
class Folders {
 public:
  explicit Folders(const std::string& start) { paths_.emplace_back(start); }

  // With all that these names lead to, one after the other. False: they are too many.
  bool AddAll(const std::vector<std::string>& names) {
    size_t next = 0;
    while (next < paths_.size()) {
      const std::filesystem::path start = paths_[next++];
      for (const std::string& name : names) {
        const std::filesystem::path path = start / name;
        // Of "cd link && cd ..", a shell takes the first, and `cd -P` the second.
        if (!Add(path.lexically_normal()) || !Add(path)) return false;
      }
    }
    return true;
  }
  const std::vector<std::filesystem::path>& paths() const { return paths_; }

 private:
  bool Add(const std::filesystem::path& path) {
    const std::optional<Identity> identity = FolderAt(path);
    if (!identity || std::find(known_.begin(), known_.end(), *identity) != known_.end()) {
      return true;
    }
    if (paths_.size() == kMaxFolders) return false;
    known_.push_back(*identity);
    paths_.push_back(path);
    return true;
  }

  std::vector<std::filesystem::path> paths_;
  std::vector<Identity> known_;  // of those that were added
};

absl::Status TooMany(size_t most, const char* of_what) {
  return absl::InvalidArgumentError(
      absl::StrCat("a command names more than ", most, " ", of_what,
                   ", too many to keep the agent from changing what it runs: put it into a script "
                   "outside of the agent's folder, and name that"));
}

}  // namespace

void AddCodeFile(const std::string& file, std::vector<std::string>& files) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  if (file.empty() || error) return;
  // Which of them is the file, of "link/../file", depends on who takes it apart.
  files.push_back(absolute.string());
  std::string normal = absolute.lexically_normal().string();
  if (normal != files.back()) files.push_back(std::move(normal));
}

absl::Status AddCodeFiles(const std::vector<std::string>& command, const std::string& folder,
                          std::vector<std::string>& files) {
  std::vector<std::string> names;
  const Places places = PlacesOf(folder);
  for (const std::string& word : command) {
    std::vector<std::string> more = NamesIn(word, places);
    std::move(more.begin(), more.end(), std::back_inserter(names));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > kMaxNames) return TooMany(kMaxNames, "files");
  Folders folders(folder);
  if (!folders.AddAll(names)) return TooMany(kMaxFolders, "folders");
  for (const std::string& name : names) {
    // What is not there yet is run once it is. Of single words, those that look like a file.
    const bool is_path = name.find_first_of("/.") != std::string::npos;
    for (const std::filesystem::path& place : folders.paths()) {
      std::error_code error;
      const std::filesystem::path path = place / name;
      if (is_path || std::filesystem::is_regular_file(path, error)) {
        AddCodeFile(path.string(), files);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status AddCodeFiles(const std::vector<cursorwire::mcp::ServerConfig>& servers,
                          std::vector<std::string>& files) {
  for (const cursorwire::mcp::ServerConfig& server : servers) {
    absl::Status status = AddCodeFiles({server.command}, server.folder, files);
    if (status.ok()) status = AddCodeFiles(server.args, server.folder, files);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace cursor_apps
