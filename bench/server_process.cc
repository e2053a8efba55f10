#include "server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace cursorwire::bench {
namespace {

absl::Status StartFailed(std::string_view what) { return TransportError(what, Replay::kSafe); }

std::vector<char*> PointersOf(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (::read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

// The value of a line "Name:  value" of /proc/PID/status.
double StatusValue(pid_t process, std::string_view name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(name)) return std::atof(line.c_str() + name.size());
  }
  return 0;
}

}  // namespace

absl::StatusOr<ServerProcess> ServerProcess::Start(std::vector<std::string> command,
                                                   std::vector<std::string> environment) {
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return StartFailed("pipe: no file descriptor left");
  const FileDescriptor output(pipe[0]);
  FileDescriptor child_output(pipe[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, command[0].c_str(), &actions, nullptr,
                                   PointersOf(command).data(), PointersOf(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return StartFailed("cannot start " + command[0]);
  child_output.Reset();
  const std::string line = ReadLine(output.get());
  ServerProcess server(process, line.substr(line.rfind(' ') + 1));
  if (!server.url_.starts_with("http")) return StartFailed(command[0] + " did not tell its URL");
  return server;
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), url_(std::move(other.url_)) {}

ServerProcess::~ServerProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

int ServerProcess::port() const { return std::atoi(url_.c_str() + url_.rfind(':') + 1); }

double ServerProcess::CpuSeconds() const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program, which may have blanks, ends with the last parenthesis; user and system
  // time are the 14th and the 15th field, counted in ticks.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  constexpr int kFieldsBetween = 11;
  std::string skipped;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double ServerProcess::ResidentKib() const { return StatusValue(process_, "VmRSS:"); }

size_t ServerProcess::Threads() const {
  return static_cast<size_t>(StatusValue(process_, "Threads:"));
}

}  // namespace cursorwire::bench
