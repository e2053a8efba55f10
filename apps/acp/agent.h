#ifndef CURSORWIRE_APPS_ACP_AGENT_H_
#define CURSORWIRE_APPS_ACP_AGENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/jsonrpc/peer.h>
#include <cursorwire/model_cache.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acp/abilities.h"
#include "acp/agent_parts.h"
#include "acp/editor.h"
#include "acp/json.h"
#include "acp/session.h"
#include "acp/session_folder.h"
#include "acp/task_thread.h"

namespace cursor_acp {

// Sessions that are open at a time. Another one closes the one that is idle the longest.
inline constexpr size_t kMaxOpenSessions = 64;
// How long new sessions wait for the list of models.
inline constexpr std::chrono::milliseconds kModelListTime{5'000};
// How long a failure to get it is remembered.
inline constexpr std::chrono::milliseconds kModelListPause{60'000};

// The agent's side of the Agent Client Protocol, version 1: docs/acp.md says what of it there is.
//
// Order: OnEvent() for each event of the editor, on one thread; Stop(). What may block is done on
// other threads: one opens and closes sessions, and each session has one for its turns.
class Agent {
 public:
  // `editor` must outlive it.
  Agent(Editor& editor, AgentParts parts);
  // Stop().
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  void OnEvent(const cursorwire::jsonrpc::PeerEvent& event);

  // Cancels all turns, which are answered, and ends what sessions have started. Blocks for that.
  void Stop();
  // Kills commands and servers at once. From any thread.
  void Kill();

 private:
  struct Method;
  static const Method kMethods[];
  // What a request is answered with; nullopt: it is answered later.
  using Result = absl::StatusOr<std::optional<Json>>;

  void OnRequest(const cursorwire::jsonrpc::PeerRequest& request);
  void OnNotification(const cursorwire::jsonrpc::PeerNotification& notification);
  void OnCancellation(const std::string& id_json);
  void Respond(const std::string& id_json, const Result& result);

  Result Initialize(const Json& params, const std::string& id_json);
  Result Authenticate(const Json& params, const std::string& id_json);
  Result NewSession(const Json& params, const std::string& id_json);
  Result LoadSession(const Json& params, const std::string& id_json);
  Result ResumeSession(const Json& params, const std::string& id_json);
  Result ListSessions(const Json& params, const std::string& id_json);
  Result CloseSession(const Json& params, const std::string& id_json);
  Result DeleteSession(const Json& params, const std::string& id_json);
  Result Prompt(const Json& params, const std::string& id_json);
  Result CancelSession(const Json& params, const std::string& id_json);
  Result SetMode(const Json& params, const std::string& id_json);
  Result SetConfigOption(const Json& params, const std::string& id_json);

  enum class Replays { kYes, kNo };
  Result Reopen(const Json& params, const std::string& id_json, Replays replays);
  // What params say of a session that is opened.
  struct Place;
  absl::StatusOr<Place> ReadPlace(const Json& params) const;
  absl::StatusOr<std::shared_ptr<Session>> Open(Place place, SessionRecord record,
                                                Session::Start start);
  absl::StatusOr<std::shared_ptr<Session>> FindSession(const Json& params);
  // Closes a session that is idle if there are too many.
  //   kResourceExhausted  all are busy
  absl::Status MakeRoom();
  // Session::End() of one that is open. False: there is none.
  bool EndSession(const std::string& id);
  std::map<std::string, std::shared_ptr<Session>> sessions();

  Editor& editor_;
  const AgentParts parts_;
  const SessionFolder folder_;
  std::optional<cursorwire::ModelCache> models_;  // nullopt: stopped
  bool initialized_ = false;                      // for the thread of OnEvent()
  std::mutex mutex_;
  // Guarded by mutex_.
  Abilities abilities_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  std::vector<std::weak_ptr<Session>> not_ended_;  // those of sessions_, and those that end
  bool stopped_ = false;
  std::optional<TaskThread> opener_;  // the last member: its tasks use the others
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_AGENT_H_
