#include "relay_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "child_process.h"

namespace cursorwire::bench {
namespace {

constexpr size_t kPrefixBytes = 4;

absl::Status Failed(std::string_view what) { return TransportError(what, Replay::kSafe); }

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

absl::StatusOr<RelayProcess> RelayProcess::Start(std::vector<std::string> command,
                                                 std::vector<std::string> environment) {
  absl::StatusOr<ChildProcess> child = StartChild(std::move(command), std::move(environment));
  if (!child.ok()) return child.status();
  return RelayProcess(child->id, std::move(child->input), std::move(child->output));
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
