#include "commands/acp_command.h"

#include <cursorwire/context/project_rules.h>
#include <cursorwire/credentials.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/session_file.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acp/agent.h"
#include "acp/editor.h"
#include "acp/editor_pipes.h"
#include "acp/json.h"
#include "commands/models.h"
#include "common/exit_code.h"
#include "common/hide_token.h"
#include "common/start_thread.h"
#include "connect.h"
#include "hint.h"
#include "output/notices.h"
#include "own_files.h"
#include "terminal_session/rules.h"
#include "turn/request_parts.h"

namespace cursor_chat {
namespace {

// An editor that has closed the connection must not find us, or what we started, much later.
constexpr std::chrono::milliseconds kMaxEndTime{3'000};

// A line for logs, which a pipe that has any room takes as a whole.
constexpr size_t kMaxLogLineBytes = 2048;

// Ends the process if it has not ended by itself in time. Its thread is there from the start, when
// one can be had.
class EndLimit {
 public:
  explicit EndLimit(std::function<void()> kill) : kill_(std::move(kill)) {}
  ~EndLimit() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  EndLimit(const EndLimit&) = delete;
  EndLimit& operator=(const EndLimit&) = delete;

  //   kUnavailable  the system starts no more threads
  absl::Status Start() {
    return cursor_apps::StartThread(thread_, [this] { Wait(); }) ? absl::OkStatus()
                                                                 : cursor_apps::NoThreadError();
  }
  // The end has begun.
  void Begin(int exit_code) {
    {
      const std::lock_guard lock(mutex_);
      exit_code_ = exit_code;
    }
    changed_.notify_one();
  }

 private:
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || exit_code_; });
    if (changed_.wait_for(lock, kMaxEndTime, [this] { return ended_; })) return;
    kill_();
    _exit(*exit_code_);
  }

  const std::function<void()> kill_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;              // guarded by mutex_
  std::optional<int> exit_code_{};  // guarded by mutex_
  std::thread thread_;              // the last member: it uses the others
};

absl::StatusOr<std::string> StateFolder(const Options& options) {
  if (!options.state_folder.empty()) return options.state_folder;
  const std::string sessions = cursorwire::DefaultSessionFolder();
  if (!sessions.empty()) return std::filesystem::path(sessions).parent_path().string() + "/acp";
  return absl::FailedPreconditionError(
      "neither XDG_STATE_HOME nor HOME is set: name a folder for the sessions with --state");
}

// Clients of all sessions, with one login and at most one stand-in.
class Connector {
 public:
  Connector(const Options& options, std::shared_ptr<cursorwire::Credentials> login)
      : options_(options), login_(std::move(login)) {}

  absl::StatusOr<cursorwire::Client> Connect(std::shared_ptr<cursorwire::ExecHandler> actions,
                                             std::shared_ptr<cursorwire::QueryHandler> queries) {
    const std::lock_guard lock(mutex_);
    return cursor_chat::Connect(
        options_, local_,
        {.workspace = std::move(actions), .queries = std::move(queries), .login = login_});
  }

 private:
  const Options& options_;
  const std::shared_ptr<cursorwire::Credentials> login_;
  std::mutex mutex_;
  std::optional<cursorwire::LocalUpstream> local_;  // guarded by mutex_
};

absl::StatusOr<cursorwire::ChosenModel> ModelFor(const Options& options,
                                                 const cursor_acp::TurnWish& wish) {
  Options wished = options;
  wished.effort = wish.choices.effort;
  if (!NeedsModels(wished)) return ChooseModelFrom(nullptr, wish.choices.model, wished);
  const cursorwire::ModelList list{.models = wish.models()};
  if (list.models.empty()) {
    return absl::UnavailableError("the models of the account are not known yet; try it again");
  }
  return ChooseModelFrom(&list, wish.choices.model, wished);
}

absl::StatusOr<cursorwire::ChatRequest> RequestFor(const Options& options,
                                                   const std::vector<cursorwire::AgentRule>& rules,
                                                   RunningCommands& running,
                                                   const cursor_acp::TurnWish& wish) {
  absl::StatusOr<cursorwire::ChosenModel> model = ModelFor(options, wish);
  if (!model.ok()) return model.status();
  Options of_turn = options;
  of_turn.mode = wish.choices.mode;
  absl::StatusOr<cursorwire::ToolRegistry> tools = OfferedTools(of_turn, running);
  if (!tools.ok()) return tools.status();
  cursorwire::ChatRequest request = MakeRequest(of_turn, *std::move(model));
  request.tools = *std::move(tools);
  if (options.allow.read && !options.no_rules) {
    request.rules = cursorwire::context::ReadProjectRules(wish.folder).rules;
  }
  request.rules.insert(request.rules.end(), rules.begin(), rules.end());
  return request;
}

}  // namespace

absl::Status RunAcp(const Options& options, cursor_apps::Interrupt& interrupt,
                    RunningCommands& running, Output& output) {
  const absl::StatusOr<std::string> state = StateFolder(options);
  if (!state.ok()) return state.status();
  const absl::StatusOr<std::vector<cursorwire::AgentRule>> rules =
      ReadRuleFiles(options.rules_files);
  if (!rules.ok()) return rules.status();
  std::shared_ptr<cursorwire::Credentials> login;
  if (!options.local) {
    auto found = FindCredentials(options);
    if (!found.ok()) return found.status();
    login = *std::move(found);
    cursor_apps::HideTokens();  // the login has read them
  }
  Connector connector(options, std::move(login));
  std::mutex log_mutex;       // of `output`
  output.DropUnreadErrors();  // an editor may read its logs late, or never
  cursor_acp::AgentParts parts{
      .connect =
          [&connector](auto actions, auto queries) {
            return connector.Connect(std::move(actions), std::move(queries));
          },
      .make_request =
          [&](const cursor_acp::TurnWish& wish) {
            return RequestFor(options, *rules, running, wish);
          },
      .log =
          [&](const std::string& line) {
            const std::lock_guard lock(log_mutex);
            PrintNotice(output, cursor_acp::Shortened(line, kMaxLogLineBytes));
          },
      .allow = options.allow,
      .sandbox = options.sandbox,
      .variables = options.variables,
      .code_files = options.own_files->paths,
      .first_choices = {.mode = options.mode,
                        .model = options.model == "default" ? "auto" : options.model,
                        .effort = options.effort},
      .state_folder = *state,
      .proxy = options.proxy};
  if (!options.mcp_config.empty()) {
    parts.servers = [&options](const std::string& folder) {
      return options.own_files->servers.ServersOf(folder);
    };
  }
  if (options.max_idle.count() > 0) parts.max_question_time = options.max_idle;
  std::stop_source ends;
  const cursor_apps::Interrupt::Scope scope(interrupt, [&ends] { ends.request_stop(); });
  cursor_acp::Editor editor;
  cursor_acp::Agent agent(editor, std::move(parts));
  EndLimit limit([&] {
    running.KillAll();
    agent.Kill();
  });
  if (absl::Status status = limit.Start(); !status.ok()) return status;
  const auto on_end = [&] {
    limit.Begin(interrupt.signal() == 0 ? cursor_apps::kExitOk
                                        : cursor_apps::kExitSignal + interrupt.signal());
  };
  absl::Status status =
      cursor_acp::ServeEditor(STDIN_FILENO, STDOUT_FILENO, editor, agent, ends.get_token(), on_end);
  running.KillAll();
  return status;
}

}  // namespace cursor_chat
