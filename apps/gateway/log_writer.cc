#include "log_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "api/concat.h"

namespace cursor_gateway {
namespace {

void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {  // whoever has the other end, too, has made it so
      pollfd wait{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

struct LogWriter::State {
  bool is_idle() const { return waiting.empty() && lost == 0 && !is_writing; }
  void Run(int descriptor);

  std::mutex mutex{};
  std::condition_variable changed{};
  // --- guarded by mutex
  std::string waiting{};
  size_t lost = 0;  // lines, after those that wait
  bool is_writing = false;
  bool ended = false;
};

void LogWriter::State::Run(int descriptor) {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return !is_idle() || ended; });
    if (is_idle()) return;
    std::string text = std::exchange(waiting, std::string());
    if (const size_t count = std::exchange(lost, 0); count > 0) {
      Append(text, "cursor-gateway: warning: ", count, " lines of the log were lost here\n");
    }
    is_writing = true;
    lock.unlock();
    WriteAll(descriptor, text);
    lock.lock();
    is_writing = false;
    changed.notify_all();
  }
}

LogWriter::LogWriter(int descriptor) : state_(std::make_shared<State>()) {
  std::thread([state = state_, descriptor] { state->Run(descriptor); }).detach();
}

LogWriter::~LogWriter() {
  std::unique_lock lock(state_->mutex);
  state_->ended = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, kLastLines, [this] { return state_->is_idle(); });
}

void LogWriter::Add(std::string_view line) {
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting.size() + line.size() >= kMaxLogBytes) {
    ++state_->lost;
  } else {
    Append(state_->waiting, line, "\n");
  }
  state_->changed.notify_all();
}

}  // namespace cursor_gateway
