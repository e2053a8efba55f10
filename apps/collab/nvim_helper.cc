#include "nvim_helper.h"

#include <cursorwire/collab/editor_helper.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/line_splitter.h"
#include "common/exit_code.h"
#include "process/stop_event.h"
#include "share.h"

namespace cursor_collab {
namespace {

using cursorwire::collab::EditorHelper;
using cursorwire::process::StopEvent;

constexpr size_t kReadBytes = size_t{64} * 1024;

// A state that a thread sets, and another waits for.
class Flag {
 public:
  void Set() {
    {
      const std::lock_guard lock(mutex_);
      set_ = true;
    }
    changed_.notify_all();
  }
  void Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

void Give(cursorwire::LineSplitter& lines, EditorHelper& helper) {
  while (std::optional<cursorwire::LineSplitter::Line> line = lines.Next()) {
    if (line->too_long) {
      helper.OnTooLongLine();
    } else {
      helper.OnLine(line->text);
    }
  }
}

// Gives the helper what comes on standard input, to its end. False: before that, `stop_event` came,
// or nobody reads what we write.
bool ReadLines(int stop_event, EditorHelper& helper) {
  cursorwire::LineSplitter lines(EditorHelper::kMaxLineBytes);
  char buffer[kReadBytes];
  for (;;) {
    // Without events, poll() tells of errors and ends alone.
    pollfd events[] = {{stop_event, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    if (::poll(events, std::size(events), -1) < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    if (events[0].revents != 0 || events[2].revents != 0) return false;
    if (events[1].revents == 0) continue;
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    // The last line may lack its end.
    const std::string_view bytes =
        count <= 0 ? std::string_view("\n") : std::string_view(buffer, static_cast<size_t>(count));
    lines.Feed(bytes);
    Give(lines, helper);
    if (count <= 0) return true;
  }
}

}  // namespace

int RunNvimHelper(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  absl::StatusOr<cursorwire::connect::TlsOptions> tls = MakeTlsOptions(options);
  if (!tls.ok()) return output.Fail(tls.status());
  std::stop_source stop;
  const auto stop_event = StopEvent::Create(stop.get_token());
  if (!stop_event.ok()) return output.Fail(stop_event.status());
  Flag ended;
  auto helper = EditorHelper::Start({.offsets = options.offsets,
                                     .status = options.status,
                                     .allow_plaintext = options.allow_plaintext,
                                     .tls = *std::move(tls),
                                     .storage_folder = options.storage,
                                     .on_line =
                                         [&output, &stop](std::string line) {
                                           output.Line(std::move(line));
                                           if (output.reader_is_gone()) stop.request_stop();
                                         },
                                     .on_end = [&ended] { ended.Set(); }});
  if (!helper.ok()) return output.Fail(helper.status());
  const std::stop_callback on_stop(stop.get_token(), [&helper] { (*helper)->Stop(); });
  const cursor_apps::Interrupt::Scope scope(interrupt, [&stop, &output] {
    output.StopWaiting();
    stop.request_stop();
  });
  if (ReadLines((*stop_event)->fd(), **helper)) {
    (*helper)->OnInputEnd();
  } else {
    stop.request_stop();
  }
  ended.Await();
  return cursor_apps::kExitOk;
}

}  // namespace cursor_collab
