#ifndef CURSORWIRE_TESTS_APPS_ACP_SCRIPTED_EDITOR_H_
#define CURSORWIRE_TESTS_APPS_ACP_SCRIPTED_EDITOR_H_

#include <cursorwire/local_upstream.h>
#include <cursorwire/script.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "acp/agent.h"
#include "acp/editor.h"
#include "acp/json.h"
#include "support/scratch_folder.h"

namespace cursor_acp::test {

// An editor at the other end of two pipes, which says what a test says, in front of an agent that
// plays scripts.
class ScriptedEditor {
 public:
  struct Options {
    std::vector<cursorwire::Script> scripts{};  // none: the assistant of the local upstream
    cursor_apps::Allow allow{.ask = true};
    std::vector<std::string> variables{};  // as of LocalExecOptions
    Json abilities = Json::object();
    absl::Status login{};     // an error: there is none
    std::string state{};      // empty: one of its own
    bool initializes = true;  // and opens a session
    std::chrono::milliseconds max_question_time = kMaxQuestionTime;
  };
  explicit ScriptedEditor(Options options);
  // Leaves, and checks that the agent went as the scripts say.
  ~ScriptedEditor();

  const std::string& session() const { return session_; }
  const cursorwire::test::ScratchFolder& folder() const { return folder_; }

  // How requests of the agent are answered, by its result; nullopt: not at all. Without it:
  // questions with "allow-once", others with an error.
  std::function<std::optional<Json>(const std::string& method, const Json& params)> on_request{};

  // No request can be made: the models of the account cannot be had.
  std::atomic<bool> models_are_away = false;

  void SendLine(const std::string& line);
  int Send(const std::string& method, Json params);
  void Notify(const std::string& method, Json params);
  void Respond(const Json& id, Json result);
  // The next message of the agent, whatever it is; null at the end.
  Json Next();
  // The answer to a request; what comes before goes into updates() and requests().
  Json Await(int id);
  Json Ask(const std::string& method, Json params) {
    return Await(Send(method, std::move(params)));
  }
  // Until a message for which that is true has come; it is returned.
  Json AwaitMessage(const std::function<bool(const Json& message)>& fits);
  Json AwaitRequest(const std::string& method);

  int SendPrompt(const std::string& text);
  Json Prompt(const std::string& text) { return Await(SendPrompt(text)); }

  // Since the last Clear().
  const std::vector<Json>& updates() const { return updates_; }
  const std::vector<Json>& requests() const { return requests_; }
  std::vector<Json> UpdatesOf(const std::string& kind) const;
  std::string Said() const;  // by agent_message_chunk
  void Clear();

  // Ends the input of the agent, and waits for it.
  void Leave();

 private:
  void Take(const Json& message);

  const Options options_;
  cursorwire::test::ScratchFolder folder_;
  cursorwire::test::ScratchFolder own_state_;
  std::optional<cursorwire::LocalUpstream> upstream_;
  int to_agent_ = -1;
  int from_agent_ = -1;
  std::string buffer_;
  std::thread agent_;
  std::string session_;
  int next_id_ = 1;
  std::vector<Json> updates_;
  std::vector<Json> requests_;
};

// Bytes of a tool call of agent.v1 for a script, in base64: an argument with the field number 1.
std::string ToolBytes(const std::string& argument);
// Steps of a script: a call that the agent shows.
std::string StartedCall(const std::string& id, const std::string& kind,
                        const std::string& argument);

}  // namespace cursor_acp::test

#endif  // CURSORWIRE_TESTS_APPS_ACP_SCRIPTED_EDITOR_H_
