#ifndef CURSORWIRE_APPS_ACP_SESSION_H_
#define CURSORWIRE_APPS_ACP_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/conversation.h>
#include <cursorwire/mcp/server_config.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/model_cache.h>
#include <cursorwire/session_file.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acp/abilities.h"
#include "acp/action_handler.h"
#include "acp/agent_parts.h"
#include "acp/editor.h"
#include "acp/json.h"
#include "acp/prompt_blocks.h"
#include "acp/session_folder.h"
#include "acp/task_thread.h"
#include "acp/turn.h"
#include "common/mcp_news.h"

namespace cursor_acp {

// Prompts of one session that are not answered yet. More are refused.
inline constexpr size_t kMaxWaitingPrompts = 16;
// How long the answer to a prompt waits for actions that were told to stop.
inline constexpr std::chrono::milliseconds kActionEndTime{1'000};

// What sessions share. It must outlive them.
struct SessionSurroundings {
  Editor& editor;
  const AgentParts& parts;
  const SessionFolder& folder;
  cursorwire::ModelCache& models;
};

// One session of an editor: a conversation with the agent, kept in a file after each turn. Prompts
// are answered one after the other, on a thread of its own. Thread-safe.
class Session {
 public:
  enum class Start { kNew, kKept };
  // Opens the conversation, connects with the user's login, and starts the servers of tools.
  // Blocks.
  //   kUnauthenticated  there is no login
  //   kNotFound         the conversation is not there (kKept), or cannot be read
  //   and what the parts say
  static absl::StatusOr<std::shared_ptr<Session>> Open(
      const SessionSurroundings& around, const Abilities& abilities, SessionRecord record,
      std::vector<cursorwire::mcp::ServerConfig> servers, Start start);
  // End().
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // `modes` and `configOptions`, as answers to requests have them. Waits for the models.
  Json Describe();
  // Tells the former turns as updates.
  void Replay();
  // Tells which commands there are. Not before the editor knows the session.
  void AnnounceCommands();

  // Answers the request `id_json` when the turn is over.
  //   kNotFound           End() was called
  //   kResourceExhausted  too many wait
  absl::Status Prompt(const std::string& id_json, PromptContent content);
  // Ends the turn that goes on, and those that wait, with the stop reason "cancelled". Nothing
  // otherwise.
  void Cancel();
  // The same for one prompt. False: it does not wait for an answer here.
  bool CancelPrompt(const std::string& id_json);

  // Both tell the editor of the change.
  //   kInvalidArgument  there is no such mode or option
  //   kNotFound         End() was called
  absl::Status SetMode(const std::string& mode);
  absl::StatusOr<Json> SetConfigOption(const std::string& config_id, const std::string& value);

  // Cancel(); waits until that is done, and until servers and commands are gone, which Kill()
  // hastens. Lets go of the file, and of the connection. Prompts and changes are refused from now
  // on, and the record is not written again. From one thread.
  void End();
  // Since when no prompt is being answered or waits; nullopt: one is or does.
  std::optional<std::chrono::steady_clock::time_point> idle_since();
  // Kills commands and servers at once, for a process that ends.
  void Kill();

 private:
  struct Waiting {
    std::string id_json;
    PromptContent content;
    bool cancelled = false;
    bool answered = false;  // before its time, since it was cancelled
  };

  Session(const SessionSurroundings& around, const Abilities& abilities, SessionRecord record);
  absl::Status OpenConversation(Start start);
  void Answer(const std::shared_ptr<Waiting>& waiting);
  std::shared_ptr<Turn> Begin(const Waiting& waiting);
  absl::Status Play(PromptContent content, Turn& turn);
  absl::Status Undo(Turn& turn);
  absl::StatusOr<cursorwire::ChatRequest> RequestFor(PromptContent content, Turn& turn);
  cursorwire::ModelCache::Lister ModelLister() const;
  void ReportServers(Turn& turn);
  void Keep(const PromptContent& content, Turn& turn);
  absl::Status WriteRecord();
  absl::Status ChangeChoices(const Choices& choices);
  void Tell(Json update);
  SessionRecord record();

  const SessionSurroundings around_;
  const Abilities abilities_;
  const std::string id_;
  const std::string id_prefix_;  // of messages and calls since this was opened
  std::shared_ptr<ActionHandler> handler_;
  std::shared_ptr<cursorwire::Client> client_;
  std::optional<cursorwire::SessionFile> file_;
  std::optional<cursorwire::Conversation> conversation_;
  std::unique_ptr<cursorwire::mcp::Servers> servers_;  // nullptr: none
  size_t kept_turns_ = 0;                              // for the thread of turns
  size_t turns_begun_ = 0;                             // likewise
  cursor_apps::McpNews news_of_servers_;               // likewise
  std::mutex writing_mutex_;  // held while the record is written; taken before mutex_
  bool writes_ = true;        // guarded by writing_mutex_
  std::mutex mutex_;
  // Guarded by mutex_.
  SessionRecord record_;
  std::deque<std::shared_ptr<Waiting>> waiting_;  // the first is being answered
  std::shared_ptr<Turn> turn_;                    // of the first
  bool ended_ = false;
  std::chrono::steady_clock::time_point last_used_ = std::chrono::steady_clock::now();
  std::optional<TaskThread> turns_;  // the last member: its tasks use the others
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_SESSION_H_
