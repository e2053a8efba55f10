#include "acp/editor_pipes.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "common/standard_stream.h"
#include "common/start_thread.h"
#include "common/write_limit.h"
#include "process/stop_event.h"

namespace cursor_acp {
namespace {

using cursorwire::process::StopEvent;

constexpr size_t kReadBytes = size_t{64} * 1024;

// Writes until the editor is closed and all is out, or nobody reads any more.
void WriteAll(int output, Editor& editor, std::stop_source& gone, const std::stop_token& ends) {
  const cursor_apps::StandardStream stream(output);
  const cursor_apps::WriteLimit limit(ends);
  for (;;) {
    const std::string lines = editor.TakeOutput();
    if (lines.empty()) return;
    if (stream.Write(lines, limit) == 0) continue;
    editor.Close();
    gone.request_stop();
    return;
  }
}

// poll() ignores a negative descriptor.
int FdOf(const std::unique_ptr<StopEvent>& event) { return event == nullptr ? -1 : event->fd(); }

// Notices an editor that is gone while the reading thread waits for room.
void Watch(int input, int output, Editor& editor, std::stop_source& gone) {
  const std::stop_token stop = gone.get_token();
  const auto stop_event = StopEvent::Create(stop).value_or(nullptr);
  // Without events, poll() reports ends and errors alone.
  pollfd events[] = {{FdOf(stop_event), POLLIN, 0}, {input, 0, 0}, {output, 0, 0}};
  while (::poll(events, std::size(events), -1) < 0) {
    if (errno != EINTR) return;
  }
  if (stop.stop_requested()) return;
  // What an editor said before it closed its end is still read while there is room for answers.
  if (events[2].revents == 0) editor.AwaitNoRoom(stop);
  gone.request_stop();
}

// False: there is nothing more to read, or `stop` is requested.
bool ReadSome(int input, int stop_event, Editor& editor, char* buffer) {
  pollfd events[] = {{stop_event, POLLIN, 0}, {input, POLLIN, 0}};
  while (::poll(events, std::size(events), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if (events[0].revents != 0) return false;
  const ssize_t count = ::read(input, buffer, kReadBytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  editor.Receive({buffer, static_cast<size_t>(count)});
  return count > 0;
}

}  // namespace

absl::Status ServeEditor(int input, int output, Editor& editor, Agent& agent,
                         const std::stop_token& stop, const std::function<void()>& on_end) {
  std::stop_source gone;  // `stop`, or the editor is gone
  // At once, also while the reading thread waits for room.
  const std::stop_callback on_gone(gone.get_token(), [&] {
    if (on_end) on_end();
    editor.StopWaiting();
  });
  const std::stop_callback stops(stop, [&gone] { gone.request_stop(); });
  std::stop_source ends;  // the writer does not wait long any more
  std::thread writer;
  std::thread watcher;
  const bool started =
      cursor_apps::StartThread(writer, [&] { WriteAll(output, editor, gone, ends.get_token()); }) &&
      cursor_apps::StartThread(watcher, [&] { Watch(input, output, editor, gone); });
  if (started) {
    const auto stop_event = StopEvent::Create(gone.get_token()).value_or(nullptr);
    const auto buffer = std::make_unique<char[]>(kReadBytes);
    // One that reads nothing is not read either.
    while (editor.AwaitRoom(gone.get_token()) &&
           ReadSome(input, FdOf(stop_event), editor, buffer.get())) {
      while (const std::optional<cursorwire::jsonrpc::PeerEvent> event = editor.Next()) {
        agent.OnEvent(*event);
      }
    }
  }
  gone.request_stop();
  if (watcher.joinable()) watcher.join();
  agent.Stop();
  ends.request_stop();
  editor.Close();
  if (writer.joinable()) writer.join();
  return started ? absl::OkStatus() : cursor_apps::NoThreadError();
}

}  // namespace cursor_acp
