#include "command_tool.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "stop_event.h"
#include "visible_text.h"

namespace cursor_chat {
namespace {

using Clock = std::chrono::steady_clock;
using cursorwire::ToolResult;

// How long to read output of processes that the command left behind.
constexpr std::chrono::milliseconds kDrainTime{200};
// Interval for checking a process whose end cannot be reported.
constexpr std::chrono::milliseconds kLookInterval{10};

// The start of an output, and the length of the whole output.
class Capture {
 public:
  void Add(std::string_view bytes) {
    total_ += bytes.size();
    kept_ += bytes.substr(0, kMaxOutputBytes - kept_.size());
  }
  std::string Take() {
    if (total_ == kept_.size()) return std::move(kept_);
    CutToWholeCharacters(kept_);
    const size_t kept = kept_.size();
    return std::move(kept_) + "\n[the first " + std::to_string(kept) + " of " +
           std::to_string(total_) + " bytes; the rest is left out]";
  }

 private:
  std::string kept_;
  size_t total_ = 0;
};

// Moves the input and output of a running command until it has ended, or is stopped.
class Conversation {
 public:
  Conversation(CommandProcess& process, std::string_view input)
      : process_(process), input_(input) {}

  // False if `stop_event` came first.
  bool Run(int stop_event) {
    while (!IsOver()) {
      pollfd events[] = {{stop_event, POLLIN, 0},
                         {ended_ ? -1 : process_.end_event(), POLLIN, 0},
                         {process_.input.get(), POLLOUT, 0},
                         {process_.output.get(), POLLIN, 0}};
      if (::poll(events, std::size(events), PollTimeout()) < 0 && errno != EINTR) return false;
      if (events[0].revents != 0) return false;
      if (!ended_ && process_.HasEnded()) OnEnded();
      if (events[2].revents != 0) Write();
      if (events[3].revents != 0) Read();
    }
    if (process_.output.open()) Read();
    return true;
  }
  std::string TakeOutput() { return output_.Take(); }

 private:
  bool IsOver() const { return ended_ && (!process_.output.open() || Clock::now() >= drained_at_); }
  int PollTimeout() const {
    if (!ended_) return process_.end_event() >= 0 ? -1 : static_cast<int>(kLookInterval.count());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(drained_at_ - Clock::now());
    return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kDrainTime).count());
  }
  void OnEnded() {
    ended_ = true;
    drained_at_ = Clock::now() + kDrainTime;
    process_.input.Close();
  }
  void Write() {
    if (!process_.input.open()) return;
    const ssize_t count = ::write(process_.input.get(), input_.data(), input_.size());
    if (count >= 0) input_.remove_prefix(static_cast<size_t>(count));
    const bool later = count < 0 && (errno == EAGAIN || errno == EINTR);
    // On an error the command does not read its input, which it may do.
    if (!later && (count < 0 || input_.empty())) process_.input.Close();
  }
  void Read() {
    char buffer[64 * 1024];
    const ssize_t count = ::read(process_.output.get(), buffer, sizeof(buffer));
    if (count > 0) {
      output_.Add({buffer, static_cast<size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      process_.output.Close();
    }
  }

  CommandProcess& process_;
  std::string_view input_;  // the rest that was not written yet
  Capture output_;
  bool ended_ = false;
  Clock::time_point drained_at_;
};

ToolResult ResultOf(std::string output, const CommandEnd& end) {
  if (end.signal == 0 && end.exit_code == 0) return ToolResult::Text(std::move(output));
  if (!output.empty() && output.back() != '\n') output += '\n';
  if (end.signal == 0)
    return ToolResult::Error(output + "exit code " + std::to_string(end.exit_code));
  const char* name = ::sigabbrev_np(end.signal);
  return ToolResult::Error(output + "ended by signal " + std::to_string(end.signal) +
                           (name == nullptr ? "" : " (SIG" + std::string(name) + ")"));
}

}  // namespace

ToolResult RunCommand(const CommandTool& tool, const cursorwire::ToolCall& call,
                      CommandErrors errors, RunningCommands& running) {
  const StopEvent stop(call.stop);
  if (stop.fd() < 0) return ToolResult::Error("cannot run it: no file descriptor is left");
  if (call.stop.stop_requested()) return ToolResult::Error("stopped");
  const auto process = CommandProcess::Start(tool.command, errors, running);
  if (!process.ok()) return ToolResult::Error(std::string(process.status().message()));
  Conversation conversation(**process, call.arguments_json);
  if (!conversation.Run(stop.fd())) return ToolResult::Error("stopped");
  return ResultOf(conversation.TakeOutput(), (*process)->end());
}

}  // namespace cursor_chat
