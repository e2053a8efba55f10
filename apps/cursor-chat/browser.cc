#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/hide_token.h"

namespace cursor_chat {
namespace {

// Empty and relative entries of PATH are passed by: they stand for whatever folder somebody
// happens to be in, and that folder may bring a program of this name. "": there is none.
std::string FindInPath(std::string_view name) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!folder.starts_with('/')) continue;
    std::string file = std::string(folder) + "/" + std::string(name);
    struct stat facts {};
    const bool is_file = ::stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    if (is_file && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

bool OpenBrowser(const std::string& url) {
  std::string program = FindInPath("xdg-open");
  if (program.empty()) return false;
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  // Ctrl-C at this terminal is not meant for a browser.
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::string argument = url;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), &files, &attributes, arguments,
                                  cursor_apps::EnvironmentWithoutTokens().data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

}  // namespace cursor_chat
