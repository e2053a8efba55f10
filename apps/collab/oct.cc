#include "oct.h"

#include <cursorwire/collab/room_agent.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "common/exit_code.h"
#include "room_model.h"
#include "service.h"
#include "share.h"

namespace cursor_collab {
namespace {

namespace collab = cursorwire::collab;

constexpr char kRefusal[] =
    "Nothing but the shared file can be read or changed here. Use get_line_range, search_code, "
    "replace_lines, insert_at_line and delete_lines.";

// Who may not ask the service need not go on.
bool EndsAll(const absl::Status& status) {
  return cursor_apps::ExitCodeOf(status) == cursor_apps::kExitUnauthenticated;
}

// Writes what happens in a room, and knows when it is enough. Called on the agent's thread, but for
// Await().
class RoomLog {
 public:
  RoomLog(const Options& options, Output& output) : options_(options), output_(output) {}

  // `stop` is called once, for an end before that of the room.
  void On(const collab::RoomEvent& event, const std::function<void()>& stop) {
    std::visit([this](const auto& it) { Tell(it); }, event);
    if (std::holds_alternative<collab::RoomEnded>(event)) return;
    if ((result_ || output_.reader_is_gone()) && !std::exchange(stopping_, true)) stop();
  }

  // The exit code, once the room is left.
  int Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_.has_value(); });
    if (!ended_->ok()) return output_.Fail(*ended_);
    if (!result_ || result_->ok()) return cursor_apps::kExitOk;
    return output_.Fail(*result_);
  }

 private:
  void Tell(const collab::RoomLoginAsked& event) {
    output_.Line(ordered_json{{"type", "login"}, {"url", event.url}});
  }
  void Tell(const collab::RoomStatus& event) {
    output_.Line(
        ordered_json{{"type", "status"}, {"code", event.code}, {"message", event.message}});
  }
  void Tell(const collab::RoomJoined& event) {
    output_.Line(ordered_json{{"type", "joined"},
                              {"room", event.room},
                              {"peerId", event.peer_id},
                              {"name", event.name},
                              {"host", event.host_name}});
  }
  void Tell(const collab::RoomFileActive& event) {
    output_.Line(ordered_json{{"type", "active"}, {"path", event.path}});
  }
  void Tell(const collab::RoomPrompt& event) {
    output_.Line(ordered_json{{"type", "prompt"},
                              {"id", event.id},
                              {"path", event.path},
                              {"line", event.line},
                              {"text", event.text}});
  }
  void Tell(const collab::RoomToolCalled& event) {
    output_.Line(
        ordered_json{{"type", "tool"}, {"id", event.id}, {"name", event.name}, {"ok", event.ok}});
  }
  void Tell(const collab::RoomEdited& event) {
    output_.Line(ordered_json{{"type", "edit"},
                              {"id", event.id},
                              {"start_line", event.start_line},
                              {"end_line", event.end_line},
                              {"lines", event.lines}});
  }
  void Tell(const collab::RoomSkipped& event) {
    output_.Line(ordered_json{{"type", "skipped"}, {"id", event.id}, {"reason", event.reason}});
  }
  void Tell(const collab::RoomMessage& event) {
    output_.Line(ordered_json{{"type", "message"}, {"id", event.id}, {"text", event.text}});
  }
  void Tell(const collab::RoomDone& event) {
    output_.Line(ordered_json{
        {"type", "done"}, {"id", event.id}, {"edits", event.edits}, {"calls", event.calls}});
    if (options_.once && !result_) result_ = absl::OkStatus();
  }
  void Tell(const collab::RoomFailed& event) {
    output_.FailedLine(event.id, event.status);
    if ((options_.once || EndsAll(event.status)) && !result_) result_ = event.status;
  }
  void Tell(const collab::RoomWarning& event) { output_.ErrorLine(event.status); }
  void Tell(const collab::RoomEnded& event) {
    if (event.status.ok()) {
      output_.Line(ordered_json{{"type", "closed"}, {"reason", event.reason}});
    }
    const std::lock_guard lock(mutex_);
    ended_ = event.status;
    changed_.notify_all();
  }

  const Options& options_;
  Output& output_;
  bool stopping_ = false;
  std::optional<absl::Status> result_;  // why we leave
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<absl::Status> ended_;  // guarded by mutex_
};

collab::RoomAgentOptions AgentOptions(const Options& options, cursorwire::connect::TlsOptions tls) {
  collab::RoomAgentOptions room = options.room;
  if (!options.name.empty()) room.name = options.name;
  room.allow_plaintext = options.allow_plaintext;
  room.tls = std::move(tls);
  return room;
}

}  // namespace

int RunOct(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  absl::StatusOr<cursorwire::connect::TlsOptions> tls = MakeTlsOptions(options);
  if (!tls.ok()) return output.Fail(tls.status());
  absl::StatusOr<Service> service = ConnectService(options, kRefusal);
  if (!service.ok()) return output.Fail(service.status());
  RoomModel model(*service->client, options.model);
  RoomLog log(options, output);
  std::mutex starting;  // until `agent` is set
  std::unique_ptr<collab::RoomAgent> agent;
  collab::RoomAgentOptions of_agent = AgentOptions(options, *std::move(tls));
  of_agent.on_event = [&](const collab::RoomEvent& event) {
    log.On(event, [&] {
      const std::lock_guard lock(starting);
      agent->Leave();
    });
  };
  {
    const std::lock_guard lock(starting);
    auto started = collab::RoomAgent::Start(std::move(of_agent), model);
    if (!started.ok()) return output.Fail(started.status());
    agent = *std::move(started);
  }
  const cursor_apps::Interrupt::Scope scope(interrupt, [&output, &agent] {
    output.StopWaiting();
    agent->Stop();
  });
  return log.Await();
}

}  // namespace cursor_collab
