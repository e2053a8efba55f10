#ifndef CURSORWIRE_APPS_ACP_ACTION_HANDLER_H_
#define CURSORWIRE_APPS_ACP_ACTION_HANDLER_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/exec.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/workspace.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "acp/abilities.h"
#include "acp/asked_action.h"
#include "acp/editor.h"
#include "acp/permissions.h"
#include "acp/question_handler.h"
#include "acp/turn.h"
#include "common/allow.h"

namespace cursor_acp {

// Does what the agent asks for in one session: looks into the folder, where the unsaved text of the
// editor comes before the disk; changes files through the editor; runs commands in its terminals;
// asks the user about what --allow does not allow. Without the abilities of the editor it uses the
// disk and processes of its own. The editor gets paths that LocalExecHandler has resolved, and
// never the agent's words. Thread-safe.
class ActionHandler final : public cursorwire::LocalExecHandler, public QuestionHandler {
 public:
  struct Options {
    std::string session_id{};
    std::string folder{};  // absolute
    Abilities abilities{};
    cursor_apps::Allow allow{};
    cursorwire::SandboxMode sandbox = cursorwire::SandboxMode::kOff;
    std::vector<std::string> variables{};   // as of LocalExecOptions
    std::vector<std::string> code_files{};  // as of LocalExecOptions
    std::chrono::milliseconds max_question_time = kMaxQuestionTime;
    // As of QuestionHandler.
    std::function<bool(const std::string& mode)> switch_mode{};
  };

  // `editor` must outlive it.
  //   what LocalExecHandler::Create() says
  static absl::StatusOr<std::shared_ptr<ActionHandler>> Create(Editor& editor, Options options);

  void SetMode(cursorwire::AgentMode mode);
  // For tools and resources of servers. The handler must outlive it.
  cursorwire::mcp::CallPolicy CallPolicyOfServers();

  absl::StatusOr<cursorwire::ReadOutput> Read(const cursorwire::ReadArgs& args,
                                              const cursorwire::ActionContext& context) override;
  void OnAttached(const cursorwire::AttachedFile& file) override;
  absl::StatusOr<cursorwire::WriteOutput> Write(const cursorwire::WriteArgs& args,
                                                const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::DeleteOutput> Delete(
      const cursorwire::DeleteArgs& args, const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::ShellOutput> Shell(const cursorwire::ShellArgs& args,
                                                const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::ShellOutput> ShellStream(
      const cursorwire::ShellArgs& args, cursorwire::ShellSink& sink,
      const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::BackgroundShellOutput> BackgroundShell(
      const cursorwire::BackgroundShellArgs& args,
      const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::WriteShellStdinOutput> WriteShellStdin(
      const cursorwire::WriteShellStdinArgs& args,
      const cursorwire::ActionContext& context) override;

 private:
  ActionHandler(LocalExecHandler&& local, Editor& editor, Options options);

  cursorwire::AgentMode mode() const;
  // An action is shown as `members` of a tool call: as the call of the agent that wants it, or as
  // one of its own. Returns its id.
  struct ShownAction {
    std::string call_id{};
    bool is_own = false;
  };
  ShownAction Show(Turn& turn, Json members, const cursorwire::ActionContext& context);
  // Permissions::Ask(); a yes is none in plan or ask mode, which may have been set meanwhile.
  absl::Status AskInMode(Json tool_call, const Scope& scope,
                         const cursorwire::ActionContext& context);
  // Asks unless --allow or the mode says what to do already. What a question cannot show whole is
  // refused.
  absl::Status Decide(const cursorwire::LocalAction& action, AskedAction asked,
                      const cursorwire::ActionContext& context);
  // What is done without a question is seen, too: unless the agent shows a call for it, as one of
  // its own, whose id is returned.
  std::string ShowAllowed(Turn& turn, AskedAction asked, const cursorwire::ActionContext& context);
  // The policy of actions that the disk and our own processes do.
  absl::Status DecideLocal(const cursorwire::LocalAction& action,
                           const cursorwire::ActionContext& context);
  absl::Status DecideCall(const cursorwire::mcp::ServerCall& call,
                          const cursorwire::ActionContext& context);
  // Whether the user was asked about another definition of the tool before; the new one is kept.
  bool HasChanged(const Scope& tool);
  struct Writing;
  absl::Status DecideWrite(const cursorwire::WriteAction& action, Writing& writing,
                           const cursorwire::ActionContext& context);
  // Looks at what the editor has of it now.
  //   kAborted  the agent was told another text
  absl::Status CheckEditorText(const std::string& path, Writing& writing,
                               const cursorwire::ActionContext& context);
  // Whether the file on the disk is still what the user was shown.
  //   kAborted  no
  absl::Status CheckUnchanged(const cursorwire::WriteAction& action,
                              const cursorwire::WriteArgs& args,
                              const cursorwire::ActionContext& context);
  // Ends a write with what has become of it, in place of the disk.
  static absl::Status DoneByEditor(Writing& writing, absl::Status status);
  absl::StatusOr<cursorwire::WriteOutput> WrittenByEditor(const Writing& writing,
                                                          const cursorwire::ActionContext& context);
  // `path` is absolute and without links. The editor may know the folder by a symbolic link.
  std::string EditorPath(const std::string& path) const;
  // What the editor has of a file. An editor may answer with no text, or with "not found", for what
  // it does not have open: an error means that the disk knows better.
  absl::StatusOr<std::string> ReadInEditor(const std::string& path,
                                           const cursorwire::ActionContext& context);
  absl::Status WriteInEditor(const std::string& path, const std::string& content,
                             const cursorwire::ActionContext& context);
  std::optional<std::string> EditorTextOf(const std::string& path,
                                          const cursorwire::ActionContext& context);
  // What a change looks like; nullopt: the user must be asked and cannot see all of it.
  std::optional<Json> ChangeItem(const cursorwire::WriteAction& action, const Writing& writing,
                                 bool is_question);
  absl::StatusOr<cursorwire::ShellOutput> ShellInEditor(const cursorwire::ShellArgs& args,
                                                        const cursorwire::ActionContext& context);
  // An editor's terminal has no sandbox: a command that is to have one runs in a process of ours.
  bool MayUseTerminals() const;
  bool UsesTerminal(const cursorwire::ShellArgs& args) const;
  bool UsesTerminal(const cursorwire::LocalAction& action) const;
  // The action of this thread, which is allowed, is shown as this call until EndOwnCall(). "": it
  // is shown as a call of the agent.
  void KeepOwnCall(std::string call_id);
  // The action of this thread has ended: if it is shown as a call of its own, that ends, too.
  void EndOwnCall(bool worked, const std::string& text);
  // The same of a command, with what it has printed: `text` and the output of the result.
  void EndOwnShell(const absl::StatusOr<cursorwire::ShellOutput>& result, std::string text);

  const Options options_;
  mutable std::mutex mutex_;
  // Calls that show actions which are being done, by the threads that do them. Guarded by mutex_.
  std::map<std::thread::id, std::string> own_calls_;
  std::map<std::pair<std::string, std::string>, Scope> asked_tools_;  // guarded by mutex_
  cursorwire::AgentMode mode_ = cursorwire::AgentMode::kAgent;        // guarded by mutex_
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_ACTION_HANDLER_H_
