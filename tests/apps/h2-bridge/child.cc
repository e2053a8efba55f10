#include "child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <utility>

#include "support/patience.h"

namespace h2_bridge {
namespace {

using cursorwire::FileDescriptor;

// Ours, which does not block, and the child's.
std::pair<FileDescriptor, FileDescriptor> MakeChannel(Stdio stdio, bool to_child) {
  std::array<int, 2> ends{-1, -1};  // the first one reads
  if (stdio == Stdio::kSockets) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  } else {
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  }
  const int ours = to_child ? ends[1] : ends[0];
  EXPECT_EQ(::fcntl(ours, F_SETFL, O_NONBLOCK), 0);
  return {FileDescriptor(ours), FileDescriptor(to_child ? ends[0] : ends[1])};
}

bool Await(int fd, short events) {
  const auto patience = std::chrono::milliseconds(cursorwire::test::kPatience);
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  const bool came = ::poll(&entry, 1, static_cast<int>(patience.count())) > 0;
  EXPECT_TRUE(came) << "the child did nothing for " << patience.count() << " ms";
  return came;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string Message(std::string_view bytes) {
  const auto prefix = FramePrefix(static_cast<uint32_t>(bytes.size()));
  return std::string(prefix.data(), prefix.size()).append(bytes);
}

Child::Child(const std::string& program, const ChildOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  auto [input, child_input] = MakeChannel(options.stdio, true);
  auto [output, child_output] = MakeChannel(options.stdio, false);
  auto [error, child_error] = MakeChannel(options.stdio, false);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, child_output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, child_error.get(), STDERR_FILENO);
  if (!options.output_file.empty()) {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, options.output_file.c_str(),
                                       O_WRONLY, 0);
  }
  if (options.shared_error >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions, options.shared_error, STDERR_FILENO);
  }
  if (options.shared_output >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions, options.shared_output, STDOUT_FILENO);
  }
  for (const int fd : options.closed_fds) ::posix_spawn_file_actions_addclose(&actions, fd);
  // What this program ignores, the child must not.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = {program};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = options.environment;
  const int failure = ::posix_spawn(&process_, program.c_str(), &actions, &attributes,
                                    Pointers(arguments).data(), Pointers(environment).data());
  EXPECT_EQ(failure, 0) << program;
  if (failure != 0) exit_code_ = 127;
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  input_ = std::move(input);
  output_ = std::move(output);
  error_ = std::move(error);
}

Child::~Child() {
  if (exit_code_) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool Child::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(input_.get(), bytes.data(), bytes.size());
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EPIPE || errno == ECONNRESET || !Await(input_.get(), POLLOUT)) {
      return false;
    }
  }
  return true;
}

size_t Child::WriteWhatFits(std::string_view bytes) {
  const ssize_t count = ::write(input_.get(), bytes.data(), bytes.size());
  return count > 0 ? static_cast<size_t>(count) : 0;
}

void Child::WriteUntilFull(const std::string& message, std::chrono::milliseconds time) {
  pollfd input = {.fd = input_.get(), .events = POLLOUT, .revents = 0};
  while (::poll(&input, 1, static_cast<int>(time.count())) > 0 && WriteWhatFits(message) > 0) {
  }
}

bool Child::Fill(const FileDescriptor& fd, std::string& out) {
  for (;;) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) {
      out.append(buffer.data(), static_cast<size_t>(count));
      return true;
    }
    if (count == 0 || errno == ECONNRESET || !Await(fd.get(), POLLIN)) return false;
  }
}

std::optional<std::string> Child::Read() {
  if (pending_begin_ > 0 && pending_begin_ >= pending_output_.size() / 2) {
    pending_output_.erase(0, std::exchange(pending_begin_, 0));
  }
  for (;;) {
    const std::string_view pending = std::string_view(pending_output_).substr(pending_begin_);
    if (pending.size() >= kFramePrefixBytes) {
      size_t size = 0;
      for (char c : pending.substr(0, kFramePrefixBytes)) {
        size = size << 8 | static_cast<unsigned char>(c);
      }
      if (pending.size() - kFramePrefixBytes >= size) {
        pending_begin_ += kFramePrefixBytes + size;
        return std::string(pending.substr(kFramePrefixBytes, size));
      }
    }
    if (!Fill(output_, pending_output_)) {
      EXPECT_EQ(pending, "") << "the output ended within a message";
      return std::nullopt;
    }
  }
}

std::vector<std::string> Child::ReadAll() {
  std::vector<std::string> messages;
  while (std::optional<std::string> message = Read()) messages.push_back(*std::move(message));
  return messages;
}

std::string Child::ReadBytes(size_t bytes) {
  std::string all;
  while (all.size() < bytes) {
    const std::optional<std::string> message = Read();
    if (!message) {
      ADD_FAILURE() << "the output ended after " << all.size() << " of " << bytes << " bytes";
      break;
    }
    all += *message;
  }
  return all;
}

std::string Child::TakeLine(const FileDescriptor& fd, std::string& pending) {
  while (pending.find('\n') == pending.npos) {
    if (!Fill(fd, pending)) return std::exchange(pending, {});
  }
  const size_t end = pending.find('\n');
  std::string line = pending.substr(0, end);
  pending.erase(0, end + 1);
  return line;
}

std::string Child::ReadLine() { return TakeLine(output_, pending_output_); }
std::string Child::ReadErrorLine() { return TakeLine(error_, pending_error_); }

std::string Child::ReadErrors() {
  while (Fill(error_, pending_error_)) {
  }
  return std::exchange(pending_error_, {});
}

void Child::Signal(int number) const { EXPECT_EQ(::kill(process_, number), 0); }

void Child::Stop() const {
  Signal(SIGSTOP);
  siginfo_t info{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(process_), &info, WSTOPPED), 0);
}

int Child::Wait() {
  if (exit_code_) return *exit_code_;
  const FileDescriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  if (pidfd.get() >= 0 && !Await(pidfd.get(), POLLIN)) ::kill(process_, SIGKILL);
  int status = 0;
  EXPECT_EQ(::wait4(process_, &status, 0, &usage_), process_);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return *exit_code_;
}

double Child::cpu_seconds() const {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage_.ru_utime) + seconds(usage_.ru_stime);
}

size_t Child::Memory(std::string_view name) const {
  std::ifstream status("/proc/" + std::to_string(process_) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(std::string(name) + ":")) return std::stoul(line.substr(name.size() + 1));
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

uid_t Child::OwnerOfMemory() const {
  struct stat info {};
  EXPECT_EQ(::stat(("/proc/" + std::to_string(process_) + "/mem").c_str(), &info), 0);
  return info.st_uid;
}

}  // namespace h2_bridge
