#ifndef CURSORWIRE_SRC_MCP_SERVER_LOOP_H_
#define CURSORWIRE_SRC_MCP_SERVER_LOOP_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/redactor.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/mcp/server_config.h"
#include "cursorwire/mcp/servers.h"
#include "cursorwire/tools.h"
#include "mcp/restart_policy.h"
#include "mcp/session.h"
#include "mcp/transport.h"
#include "net/waker.h"
#include "process/running_commands.h"

namespace cursorwire::mcp {

// One server: starts it, or connects to it, on a thread of its own, gives it calls, and starts it
// again if it has ended: at the next call, or, where it offers nothing to call, after a pause. A
// call is never made twice. Thread-safe.
//
// Order: Start() once, then calls at any time; RequestStop(), and the destructor.
class ServerLoop {
 public:
  // `environment` is that of its process. `running` must outlive this. `on_change` is called after
  // each change of the state, on the thread of this; by Start() if there can be no thread.
  ServerLoop(ServerConfig config, std::vector<std::string> environment, std::string client_version,
             process::RunningCommands& running, std::function<void()> on_change = nullptr);
  // Ends the server, which takes up to 2.5 s, and calls that are under way.
  ~ServerLoop();

  // Returns at once. What fails shows in report().
  void Start();
  // Begins the end of the server and returns at once.
  void RequestStop();
  // Waits until the server is gone, after RequestStop(). On one thread at a time.
  void Join();
  // Returns when the server is ready, has failed, `stop` was requested, or at `deadline`.
  void WaitUntilSettled(const std::stop_token& stop,
                        connect::TimePoint deadline = connect::TimePoint::max());
  // Tries a server once more that ServerReport::is_tried_again is of. False: it is not, or is being
  // tried.
  bool TryAgain();
  // After that: returns when the attempt is over, `stop` was requested, or at `deadline`.
  void AwaitTry(const std::stop_token& stop, connect::TimePoint deadline);
  // `tool` is the server's name for it. The answer is one that models read, whatever happens; there
  // is none once `call.stop` was requested.
  void Call(const std::string& tool, const ToolCall& call, const ToolReply& reply);

  // Starts a call of the session, as Session::ReadResource() does.
  using Ask = std::function<absl::StatusOr<uint64_t>(Session& session, connect::TimePoint now)>;
  // Makes that call, and waits for its result. Errors name the server.
  //   kCancelled         `stop` was requested
  //   kDeadlineExceeded  no result came before `deadline`; the server is told that it is cancelled
  absl::StatusOr<Json> Wait(Ask ask, const std::stop_token& stop, connect::TimePoint deadline);

  ServerReport report() const;
  // One more line of the report.
  void AddNotice(std::string text);

 private:
  struct Request;
  using Done = std::function<void(const absl::StatusOr<Json>& result)>;
  using Requests = std::map<uint64_t, std::unique_ptr<Request>>;

  // `done` is called once, unless `stop` was requested.
  void Post(Ask ask, Done done, const std::stop_token& stop);
  void Run();
  // What others asked for since the last time. False once the server is to stop.
  bool TakeInbox();
  bool Step(connect::TimePoint now);
  absl::StatusOr<std::unique_ptr<Transport>> NewTransport();
  void StartTransport(connect::TimePoint now);
  void StartRequests(connect::TimePoint now);
  // Starts a server that has failed and offers nothing, if it is time, or a turn asks for it.
  void StartByItself(connect::TimePoint now);
  bool is_tried_again() const;
  void HandleEvents(connect::TimePoint now);
  void HandleEvent(SessionEvent& event, connect::TimePoint now);
  void WaitForEvents(connect::TimePoint now, bool stops);
  void Cancel(uint64_t key);
  absl::Status TransportEnd() const;
  void EndSession(ServerState state, const absl::Status& status, connect::TimePoint now);
  // Ends a request with an error.
  void Refuse(uint64_t key, const absl::Status& status);
  void RefuseAll(const absl::Status& status);
  void SetState(ServerState state, const absl::Status& error = absl::OkStatus());
  // False: there is nothing to tell. A server that has failed and is stopped stays failed. With the
  // lock.
  bool ChangeReport(ServerState state, const absl::Status& error);
  std::string Named(const absl::Status& status) const;

  const ServerConfig config_;
  const std::vector<std::string> environment_;
  const std::string client_version_;
  // Takes what the configuration gives the server, which may be keys, out of messages.
  const connect::Redactor redactor_;
  process::RunningCommands& running_;
  const std::function<void()> on_change_;

  mutable std::mutex mutex_;
  std::condition_variable_any settled_;
  ServerReport report_;                          // guarded by mutex_
  std::vector<std::unique_ptr<Request>> inbox_;  // guarded by mutex_
  std::vector<uint64_t> cancelled_;              // guarded by mutex_
  uint64_t next_key_ = 1;                        // guarded by mutex_
  bool try_asked_ = false;                       // guarded by mutex_; by a turn
  bool trying_ = false;  // guarded by mutex_; it starts while the state says that it has failed
  bool stops_ = false;   // guarded by mutex_
  bool closed_ = false;  // guarded by mutex_; no thread takes requests

  // The rest belongs to the thread.
  std::shared_ptr<net::Waker> waker_;  // set before the thread starts; shared for its Wake()
  connect::TimePoint started_at_{};
  std::unique_ptr<Transport> transport_;
  std::optional<Session> session_;
  bool ready_ = false;     // the session takes calls
  bool hopeless_ = false;  // another start would fail in the same way
  RestartPolicy restarts_;
  Requests requests_;                    // by their keys
  std::vector<uint64_t> waiting_;        // keys of those that were not sent yet
  std::map<uint64_t, uint64_t> key_of_;  // by the call of the session
  std::thread thread_;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_SERVER_LOOP_H_
