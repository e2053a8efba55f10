#include "child_process.h"

#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/error.h"

namespace cursorwire::bench {
namespace {

absl::Status CannotStart(std::string_view what) { return TransportError(what, Replay::kSafe); }

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

absl::StatusOr<ChildProcess> StartChild(std::vector<std::string> command,
                                        std::vector<std::string> environment) {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0 ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out.data()) != 0) {
    return CannotStart("socketpair: no file descriptor left");
  }
  const FileDescriptor child_input(in[0]);
  const FileDescriptor child_output(out[1]);
  FileDescriptor input(in[1]);
  FileDescriptor output(out[0]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, child_output.get(), STDOUT_FILENO);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, command[0].c_str(), &actions, nullptr,
                                   Pointers(command).data(), Pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return CannotStart("cannot start " + command[0]);
  return ChildProcess{.id = process, .input = std::move(input), .output = std::move(output)};
}

bool WriteAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace cursorwire::bench
