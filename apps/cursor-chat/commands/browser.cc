#include "commands/browser.h"

#include <absl/status/statusor.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "common/hide_token.h"
#include "process/find_program.h"

namespace cursor_chat {

bool OpenBrowser(const std::string& url) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  absl::StatusOr<std::string> program =
      cursorwire::process::FindProgram("xdg-open", path == nullptr ? "" : path, "/");
  if (!program.ok()) return false;
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
  char* arguments[] = {program->data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program->c_str(), &files, &attributes, arguments,
                                  cursor_apps::EnvironmentWithoutTokens().data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

}  // namespace cursor_chat
