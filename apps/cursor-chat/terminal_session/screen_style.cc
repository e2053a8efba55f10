#include "terminal_session/screen_style.h"

#include <langinfo.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

namespace cursor_chat {
namespace {

std::string_view Variable(const char* name) {
  const char* value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

constexpr const char* kTerminalFolders[] = {"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo",
                                            "/usr/lib/terminfo", "/usr/local/share/terminfo"};

std::vector<std::string> TerminalFolders() {
  std::vector<std::string> folders = {std::string(Variable("TERMINFO")),
                                      std::string(Variable("HOME")) + "/.terminfo"};
  std::string_view list = Variable("TERMINFO_DIRS");
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  folders.insert(folders.end(), std::begin(kTerminalFolders), std::end(kTerminalFolders));
  return folders;
}

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Terminals that wrap their lines anew, by what they say of themselves. xterm, st and the console
// of Linux do not, and name themselves as others do. Within tmux, it is tmux that counts.
bool Rewraps() {
  constexpr const char* kVariables[] = {"TMUX",
                                        "VTE_VERSION",
                                        "KITTY_WINDOW_ID",
                                        "KONSOLE_VERSION",
                                        "ALACRITTY_WINDOW_ID",
                                        "WEZTERM_PANE",
                                        "ITERM_SESSION_ID",
                                        "GHOSTTY_RESOURCES_DIR"};
  constexpr std::string_view kTerms[] = {"tmux", "xterm-kitty",   "alacritty",
                                         "foot", "xterm-ghostty", "wezterm"};
  if (!Variable("STY").empty()) return false;  // GNU screen
  const std::string_view term = Variable("TERM");
  return std::any_of(std::begin(kTerms), std::end(kTerms),
                     [term](std::string_view name) { return term.starts_with(name); }) ||
         std::any_of(std::begin(kVariables), std::end(kVariables),
                     [](const char* name) { return !Variable(name).empty(); });
}

}  // namespace

bool IsKnownTerminal(std::string_view name) {
  if (name.empty() || name.find('/') != name.npos) return false;
  const std::string letter(1, name.front());
  std::array<char, 3> code{};  // of the letter, where the file system has no capitals
  std::snprintf(code.data(), code.size(), "%02x", static_cast<unsigned char>(name.front()));
  bool has_database = false;
  for (const std::string& folder : TerminalFolders()) {
    if (folder.empty() || !Exists(folder)) continue;
    has_database = true;
    for (const std::string& below : {letter, std::string(code.data())}) {
      std::string path = folder;
      path.append("/").append(below).append("/").append(name);
      if (Exists(path)) return true;
    }
  }
  return !has_database;
}

ScreenStyle StyleOfProcess(bool plain) {
  // Source of the variable: https://no-color.org
  const bool dumb = Variable("TERM") == "dumb" || !IsKnownTerminal(Variable("TERM"));
  const bool decorated = !plain && Variable("NO_COLOR").empty() && !dumb;
  const char* codeset = ::nl_langinfo(CODESET);  // NOLINT(concurrency-mt-unsafe)
  return {.decorated = decorated,
          .unicode = std::string_view(codeset) == "UTF-8",
          .dumb = dumb,
          .rewraps = Rewraps()};
}

std::string Painted(const ScreenStyle& style, std::string_view color, std::string_view text) {
  if (!style.decorated || text.empty()) return std::string(text);
  return "\033[" + std::string(color) + "m" + std::string(text) + "\033[0m";
}

}  // namespace cursor_chat
