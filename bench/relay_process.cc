#include "relay_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <utility>

#include "base/error.h"

namespace cursorwire::bench {
namespace {

constexpr size_t kPrefixBytes = 4;

absl::Status Failed(std::string_view what) { return TransportError(what, Replay::kSafe); }

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

absl::StatusOr<RelayProcess> RelayProcess::Start(std::vector<std::string> command,
                                                 std::vector<std::string> environment) {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0 ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out.data()) != 0) {
    return Failed("socketpair: no file descriptor left");
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
  if (error != 0) return Failed("cannot start " + command[0]);
  return RelayProcess(process, std::move(input), std::move(output));
}

RelayProcess::RelayProcess(RelayProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      prefix_(std::move(other.prefix_)),
      message_left_(other.message_left_),
      read_ahead_(other.read_ahead_) {}

RelayProcess::~RelayProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

absl::Status RelayProcess::Send(std::string_view message) {
  const auto size = static_cast<uint32_t>(message.size());
  const std::array<char, kPrefixBytes> prefix = {
      static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
      static_cast<char>(size)};
  if (!WriteAll(input_.get(), {prefix.data(), prefix.size()}) || !WriteAll(input_.get(), message)) {
    return Failed("the relay does not read");
  }
  return absl::OkStatus();
}

absl::Status RelayProcess::Read(size_t bytes) {
  std::array<char, 65536> buffer{};
  while (bytes > read_ahead_) {
    const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
    if (count <= 0) return Failed("the relay ended too early");
    std::string_view input(buffer.data(), static_cast<size_t>(count));
    while (!input.empty()) {
      if (message_left_ == 0) {
        const size_t missing = std::min(input.size(), kPrefixBytes - prefix_.size());
        prefix_.append(input.substr(0, missing));
        input.remove_prefix(missing);
        if (prefix_.size() < kPrefixBytes) break;
        for (char c : std::exchange(prefix_, {})) {
          message_left_ = message_left_ << 8 | static_cast<unsigned char>(c);
        }
        continue;
      }
      const size_t taken = std::min(input.size(), message_left_);
      message_left_ -= taken;
      input.remove_prefix(taken);
      read_ahead_ += taken;
    }
  }
  read_ahead_ -= bytes;
  return absl::OkStatus();
}

// The figure of wait4() starts with the memory of the parent; this one does not.
double RelayProcess::PeakMib() const {
  std::ifstream status("/proc/" + std::to_string(process_) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

absl::StatusOr<double> RelayProcess::Finish() {
  input_.Reset();
  int status = 0;
  rusage usage{};
  if (::wait4(std::exchange(process_, -1), &status, 0, &usage) < 0 || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    return Failed("the relay failed");
  }
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

}  // namespace cursorwire::bench
