#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SERVICE_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SERVICE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/exec_handler.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/model_map.h"
#include "documents/approvals.h"
#include "documents/document_request.h"
#include "documents/document_session.h"
#include "documents/workspace_context.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "metrics.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

// Turns that go on, those whose answers are complete among them.
inline constexpr size_t kMaxDocumentsPerKey = 64;
inline constexpr size_t kMaxDocuments = 256;
// Sessions that wait for their next turn. Those that are closed begin anew from the state.
inline constexpr size_t kMaxIdleSessions = 64;
// What was said in those sessions, and what the service has stored in them. They take about twice
// as much.
inline constexpr size_t kMaxIdleSessionBytes = size_t{32} * 1024 * 1024;
// Between two tries to claim a conversation whose turn is ending elsewhere, and all of them.
inline constexpr std::chrono::milliseconds kClaimPause{50};
inline constexpr std::chrono::seconds kClaimPatience{8};

struct DocumentServiceOptions {
  // Makes a client of the account with this handler. Empty: the endpoints are not there.
  std::function<absl::StatusOr<cursorwire::Client>(std::shared_ptr<cursorwire::ExecHandler>)>
      make_client{};
  std::string workspace{};
  std::vector<std::string> code_files{};      // as of LocalExecOptions
  std::vector<std::string> variables{};       // as of LocalExecOptions
  WorkspaceContext::Reader read_workspace{};  // empty: the files of the workspace are read
  WorkspaceContext::Log log{};                // for what of it cannot be read; may be empty
  cursor_apps::Allow allow{};
  cursorwire::SandboxMode sandbox = cursorwire::SandboxMode::kOff;
  // Their tools are offered to the agent, but in plan and ask mode; nullptr: there are none.
  std::shared_ptr<cursorwire::mcp::Servers> servers{};
  ModelMap model_map{};
  std::chrono::milliseconds max_idle{600'000};
  std::chrono::milliseconds max_time{3'600'000};
  size_t max_idle_bytes = kMaxIdleSessionBytes;
};

// Answers POST /api/v1/chat/completions, /api/v1/chat/plan and /api/v1/approvals/{id}. On the
// loop's thread. Its destructor waits for clients that are being closed.
class DocumentService {
 public:
  // All that is given outlives it.
  DocumentService(EventLoop& loop, Metrics& metrics, StateKeeper& state,
                  DocumentServiceOptions options);
  ~DocumentService();
  DocumentService(const DocumentService&) = delete;
  DocumentService& operator=(const DocumentService&) = delete;

  // `plan`: the path says so, whatever the mode of the request.
  enum class Path { kCompletions, kPlan };
  void Complete(std::shared_ptr<HttpExchange> exchange, const std::string& client_key, Path path);
  // No turn goes on, nor what comes after its answer.
  bool idle() const;
  // Open questions for approval, and later ones, are answered with a no.
  void Drain() { approvals_->End(); }
  // Ends all turns, and their answers with an error; from now on none begins.
  void EndTurns(const absl::Status& why);
  void Approve(HttpExchange& exchange, const std::string& client_key, const std::string& id);

 private:
  struct Job;

  // Makes the conversation of a session, for its client.
  using MakeConversation =
      std::function<absl::StatusOr<cursorwire::Conversation>(const cursorwire::Client& client)>;

  absl::StatusOr<std::shared_ptr<DocumentSession>> NewSession(const std::string& client_key,
                                                              const MakeConversation& make);
  std::shared_ptr<DocumentSession> FindSession(const std::string& id) const;
  // Whether a turn may begin for the client, or why not.
  absl::Status MayBegin(const std::string& client_key) const;
  void Begin(const std::shared_ptr<Job>& job);
  void GoOn(const std::shared_ptr<Job>& job);
  void Claim(const std::shared_ptr<Job>& job);
  void OnClaimed(const std::shared_ptr<Job>& job, absl::StatusOr<StateClaimed> claimed);
  absl::StatusOr<std::shared_ptr<DocumentSession>> Load(const std::shared_ptr<Job>& job,
                                                        StateEntry entry);
  void Ask(const std::shared_ptr<Job>& job, const std::shared_ptr<DocumentSession>& session);
  void Send(const Job& job, const std::shared_ptr<DocumentSession>& session,
            const WorkspaceContext::Context& read);
  void MakeRoom();
  // Destroys them on another thread, since that may wait for the network.
  void Close(std::vector<std::shared_ptr<DocumentSession>> sessions);

  EventLoop& loop_;
  Metrics& metrics_;
  DocumentServiceOptions options_;
  WorkspaceContext workspace_;
  StateKeeper& state_;
  std::shared_ptr<Approvals> approvals_ = std::make_shared<Approvals>();  // shared with sessions
  std::vector<std::shared_ptr<DocumentSession>> sessions_;
  std::map<std::shared_ptr<Job>, EventLoop::Timer> claiming_;  // they try again
  EventLoop::Timer room_timer_;                                // a turn is over
  std::thread closer_;
  absl::Status ended_;  // why no turn begins any more
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SERVICE_H_
