#include "mcp/server_process.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/strings.h"
#include "mcp/child_environment.h"
#include "mcp/plain_text.h"
#include "process/find_program.h"
#include "process/pipe.h"

namespace cursorwire::mcp {
namespace {

using connect::After;
using connect::TimePoint;

// How long a server has to end by itself once its input has ended, and then after SIGTERM.
constexpr std::chrono::milliseconds kEndTime{1'500};
constexpr std::chrono::milliseconds kTerminateTime{1'000};
// How long to read what a server that has ended left in its pipes: others may hold them open.
constexpr std::chrono::milliseconds kDrainTime{200};
// Used if the system has no file descriptor that reports the end of a process.
constexpr std::chrono::milliseconds kLookInterval{20};
constexpr size_t kMaxReadBytes = size_t{256} * 1024;
constexpr size_t kMaxErrorTailBytes = 4096;
constexpr size_t kMaxErrorLineBytes = 300;

// Reads once. False at the end.
bool ReadOnce(const FileDescriptor& pipe, std::string& bytes) {
  std::array<char, size_t{64} * 1024> block{};
  const ssize_t count = ::read(pipe.get(), block.data(), block.size());
  if (count > 0) bytes.append(block.data(), static_cast<size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

// The last line that says something, since the one before often says it all.
std::string LastLine(std::string_view text) {
  std::string last;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string line = PlainLine(text.substr(0, end), kMaxErrorLineBytes);
    absl::StripAsciiWhitespace(&line);
    if (!line.empty()) last = std::move(line);
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return last;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerProcess>> ServerProcess::Start(
    const ServerConfig& config, const std::vector<std::string>& environment,
    process::RunningCommands& running) {
  const FileDescriptor folder(::open(config.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) {
    return LocalError(absl::StatusCode::kNotFound, "the folder where it is to start is not there");
  }
  absl::StatusOr<std::string> file =
      process::FindProgram(config.command, PathOf(environment), config.folder);
  if (!file.ok()) return file.status();
  process::Program program{.file = *std::move(file),
                           .arguments = {config.command},
                           .environment = environment,
                           .folder = folder.get()};
  program.arguments.insert(program.arguments.end(), config.args.begin(), config.args.end());
  if (!config.sandbox) {
    absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
        process::ChildProcess::Start(program, process::ChildInput::kPipe, running);
    if (!child.ok()) return child.status();
    return std::unique_ptr<ServerProcess>(new ServerProcess({}, *std::move(child)));
  }
  absl::StatusOr<sandbox::EnclosedProgram> enclosed =
      sandbox::Enclose(std::move(program), config.folder, *config.sandbox, environment);
  if (!enclosed.ok()) return enclosed.status();
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      sandbox::StartEnclosed(*enclosed, process::ChildInput::kPipe, running);
  if (!child.ok()) return child.status();
  return std::unique_ptr<ServerProcess>(new ServerProcess(*std::move(enclosed), *std::move(child)));
}

void ServerProcess::Watch(net::Poller& poller, bool wants_output) {
  using enum net::Poller::Interest;
  if (wants_output && output_open_) poller.Add(child_->output().get(), kRead);
  errors_index_.reset();
  if (errors_open_) errors_index_ = poller.Add(child_->error_output().get(), kRead);
  input_index_.reset();
  if (!input_.empty() && child_->input().valid()) {
    input_index_ = poller.Add(child_->input().get(), kReadWrite);
  }
  if (!drain_at_) poller.Add(child_->end_fd(), kRead);
}

void ServerProcess::Handle(const net::Poller& poller) {
  if (input_index_ && poller.writable(*input_index_)) Flush();
  if (errors_index_ && poller.readable(*errors_index_)) ReadErrors();
}

void ServerProcess::Flush() {
  while (!input_.empty() && child_->input().valid()) {
    const ptrdiff_t count =
        process::WriteToPipe(child_->input(), input_.data() + written_, input_.size() - written_);
    if (count == -EAGAIN || count == -EINTR) return;
    if (count < 0) {
      // The server does not read any more. If it ends, that is seen elsewhere.
      DropInput();
      child_->CloseInput();
      return;
    }
    written_ += static_cast<size_t>(count);
    if (written_ == input_.size()) DropInput();
  }
}

std::string ServerProcess::ReadOutput() {
  std::string bytes;
  size_t before = 0;
  do {
    before = bytes.size();
    if (output_open_) output_open_ = ReadOnce(child_->output(), bytes);
  } while (bytes.size() > before && bytes.size() < kMaxReadBytes);
  return bytes;
}

void ServerProcess::ReadErrors() {
  errors_open_ = ReadOnce(child_->error_output(), error_tail_);
  if (error_tail_.size() > kMaxErrorTailBytes) {
    error_tail_.erase(0, error_tail_.size() - kMaxErrorTailBytes);
  }
}

void ServerProcess::DropInput() {
  input_.clear();
  written_ = 0;
}

void ServerProcess::EnterPhase(Phase phase, TimePoint step_at) {
  phase_ = phase;
  step_at_ = step_at;
}

void ServerProcess::Close(TimePoint now) {
  if (phase_ != Phase::kRuns) return;
  DropInput();
  child_->CloseInput();
  EnterPhase(Phase::kInputClosed, After(now, kEndTime));
}

bool ServerProcess::Advance(TimePoint now) {
  if (phase_ == Phase::kGone) return true;
  if (!drain_at_ && child_->HasEnded()) {
    drain_at_ = After(now, kDrainTime);
    end_ = child_->End();
  }
  if (!output_open_ && !silent_at_) silent_at_ = After(now, kDrainTime);
  if (drain_at_ && errors_open_) ReadErrors();
  const bool ended = drain_at_.has_value();
  const bool late = step_at_ && now >= *step_at_;
  const bool over = ended && silent();
  if (over || (phase_ == Phase::kTerminated && late)) {
    child_->Kill().IgnoreError();
    phase_ = Phase::kGone;
    step_at_.reset();
    return true;
  }
  // What it has started may still hold its pipes.
  const bool drained = ended && now >= *drain_at_;
  if (phase_ != Phase::kTerminated && (drained || late)) {
    child_->Terminate();
    EnterPhase(Phase::kTerminated, After(now, kTerminateTime));
  }
  return false;
}

std::optional<TimePoint> ServerProcess::deadline() const {
  if (phase_ == Phase::kGone) return std::nullopt;
  std::optional<TimePoint> first = step_at_;
  const auto add = [&first](TimePoint at) { first = std::min(first.value_or(at), at); };
  if (drain_at_ && phase_ != Phase::kTerminated) add(*drain_at_);
  if (silent_at_ && !drain_at_ && phase_ == Phase::kRuns) add(*silent_at_);
  if (!drain_at_ && child_->end_fd() < 0) add(After(net::Now(), kLookInterval));
  return first;
}

bool ServerProcess::at_end(TimePoint now) const {
  if (phase_ == Phase::kGone) return true;
  if (drain_at_) return !output_open_ || now >= *drain_at_;
  return silent_at_ && now >= *silent_at_;
}

std::string ServerProcess::ExitText() const {
  std::string text = "it has closed its output";
  if (end_) {
    text = end_->signal.empty() ? absl::StrCat("it has ended with exit code ", end_->exit_code)
                                : absl::StrCat("it was ended by ", end_->signal);
  }
  const std::string line = LastLine(error_tail_);
  return line.empty() ? text : absl::StrCat(text, ": ", line);
}

}  // namespace cursorwire::mcp
