#include "workspace/shell/background_shell.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/start_thread.h"
#include "cursorwire/connect/time_point.h"
#include "workspace/fs/permission.h"
#include "workspace/fs/work_limit.h"
#include "workspace/shell/child_wait.h"
#include "workspace/shell/left_notice.h"
#include "workspace/shell/output_pipe.h"

namespace cursorwire::workspace {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A write to the pipe fails once the shell, its last reader, has ended. In case another process
// holds the pipe open, check for the end at this interval.
constexpr milliseconds kInputInterval{50};

absl::Status Ended() {
  return LocalError(absl::StatusCode::kNotFound, "the shell has ended, or takes no input any more");
}

}  // namespace

BackgroundShell::BackgroundShell(std::string command, std::unique_ptr<StartedCommand> started,
                                 std::unique_ptr<OutputLog> log, connect::TimePoint deadline,
                                 std::unique_ptr<process::StopEvent> stopped, std::stop_source stop)
    : command_(std::move(command)),
      stop_(std::move(stop)),
      stopped_(std::move(stopped)),
      started_(std::move(started)),
      log_(std::move(log)),
      deadline_(deadline) {}

absl::StatusOr<std::unique_ptr<BackgroundShell>> BackgroundShell::Adopt(
    std::string command, std::unique_ptr<StartedCommand> started, std::unique_ptr<OutputLog> log,
    connect::TimePoint deadline) {
  std::stop_source stop;
  absl::StatusOr<std::unique_ptr<process::StopEvent>> stopped =
      process::StopEvent::Create(stop.get_token());
  if (!stopped.ok()) return stopped.status();
  std::unique_ptr<BackgroundShell> shell(new BackgroundShell(std::move(command), std::move(started),
                                                             std::move(log), deadline,
                                                             *std::move(stopped), std::move(stop)));
  if (const std::optional<OutputLocation> before = shell->log_->location()) {
    shell->output_bytes_ = static_cast<uint64_t>(before->file_bytes);
  }
  if (StartThread(shell->thread_, [self = shell.get()] { self->Read(); })) return shell;
  return LocalError(absl::StatusCode::kUnavailable, "the system starts no more threads");
}

BackgroundShell::~BackgroundShell() {
  Stop();
  if (thread_.joinable()) thread_.join();
}

void BackgroundShell::Read() {
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  const auto drop = [](std::string_view) {};
  const auto keep = [this](std::string_view bytes) {
    output_bytes_ += bytes.size();
    log_->Append(bytes);
  };
  OutputPipe out(started_->child().output(), "stdout", kAll, drop, keep);
  OutputPipe err(started_->child().error_output(), "stderr", kAll, drop, keep);
  ChildWait wait(started_->child());
  while (!stop_.stop_requested()) {
    const connect::TimePoint now = Clock::now();
    if (wait.IsOver(now, out, err) || now >= deadline_) break;
    wait.Poll(now, deadline_, out, err, stopped_->fd());
    out.ReadSome();
    err.ReadSome();
  }
  ended_ = true;
  const absl::StatusOr<process::ChildEnd> end = started_->child().Kill();
  if (const absl::StatusOr<std::string> lines = started_->Finish(); lines.ok()) {
    log_->Append(*lines);
  } else {
    log_->Append(absl::StrCat(lines.status().message(), "\n"));
  }
  if (end.ok() && wait.shell_ended()) {
    log_->Append(LeftNotice(end->left, ShellPlace::kBackground));
  }
}

absl::Status BackgroundShell::WriteSome(std::string_view& chars) {
  const ptrdiff_t count =
      process::WriteToPipe(started_->child().input(), chars.data(), chars.size());
  if (count == -EAGAIN || count == -EINTR) return absl::OkStatus();
  if (count == -EPIPE) return Ended();
  if (count < 0) return ChangeError(static_cast<int>(-count));
  chars.remove_prefix(static_cast<size_t>(count));
  return absl::OkStatus();
}

absl::Status BackgroundShell::Write(std::string_view chars, milliseconds time,
                                    std::stop_token stop) {
  if (started_->child().input().get() < 0) return Ended();
  const std::unique_lock lock(input_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return LocalError(absl::StatusCode::kAborted, "other input of this shell is under way");
  }
  const absl::StatusOr<std::unique_ptr<process::StopEvent>> stopped =
      process::StopEvent::Create(stop);
  if (!stopped.ok()) return stopped.status();
  const WorkLimit limit(stop, time);
  const size_t size = chars.size();
  while (!chars.empty()) {
    if (ended_) return Ended();
    if (absl::Status status = CheckStop(stop); !status.ok()) return status;
    if (limit.timed_out()) {
      return LocalError(absl::StatusCode::kDeadlineExceeded,
                        absl::StrCat("the shell took ", size - chars.size(), " of ", size,
                                     " bytes; it does not read its input now"));
    }
    std::array<pollfd, 2> fds = {
        {{.fd = started_->child().input().get(), .events = POLLOUT, .revents = 0},
         {.fd = (*stopped)->fd(), .events = POLLIN, .revents = 0}}};
    ::poll(fds.data(), fds.size(), static_cast<int>(kInputInterval.count()));
    if (fds[0].revents == 0) continue;
    if (absl::Status status = WriteSome(chars); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::workspace
