// cursor-chat: asks Cursor's agent from a shell. See cursor-chat --help.
#include <absl/strings/cord.h>
#include <absl/strings/str_cat.h>
#include <cursorwire/client.h>
#include <cursorwire/context/project_rules.h>
#include <cursorwire/local_upstream.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "commands/account.h"
#include "commands/acp_command.h"
#include "commands/doctor.h"
#include "commands/mcp_commands.h"
#include "commands/models.h"
#include "commands/session_list.h"
#include "commands/shell_completion.h"
#include "commands/trace_commands.h"
#include "commands/usage.h"
#include "common/exit_code.h"
#include "common/hide_memory.h"
#include "common/hide_token.h"
#include "common/interrupt.h"
#include "common/standard_stream.h"
#include "common/start_thread.h"
#include "connect.h"
#include "hint.h"
#include "open_logins.h"
#include "options.h"
#include "output/json_printers.h"
#include "output/notices.h"
#include "output/output.h"
#include "output/terminal_question.h"
#include "own_files.h"
#include "session.h"
#include "terminal_session/attachments.h"
#include "terminal_session/rules.h"
#include "terminal_session/terminal_session.h"
#include "turn/allow.h"
#include "turn/images.h"
#include "turn/mcp_servers.h"
#include "turn/prompt.h"
#include "turn/request_parts.h"
#include "turn/running_commands.h"
#include "turn/turn.h"

namespace cursor_chat {
namespace {

using Clock = std::chrono::steady_clock;

// The one end of all that a call waits for, by --max-time; without it there is none.
class MaxTime {
 public:
  // Begins now.
  explicit MaxTime(std::chrono::milliseconds time) : time_(time) {
    if (time.count() != 0) end_ = Clock::now() + time;
  }

  // max(): none.
  Clock::time_point end() const { return end_; }
  // What is left of it for a turn; 0: any time.
  //   kDeadlineExceeded  nothing
  absl::StatusOr<std::chrono::milliseconds> Left() const {
    using std::chrono::milliseconds;
    if (end_ == Clock::time_point::max()) return milliseconds(0);
    const auto left = std::chrono::ceil<milliseconds>(end_ - Clock::now());
    if (left <= milliseconds(0)) return Error();
    return left;
  }
  absl::Status Error() const {
    return absl::DeadlineExceededError(
        absl::StrCat("this took longer than --max-time, ", time_.count(), " ms"));
  }
  // The same for a turn, whose own deadline was what was left.
  absl::Status Name(const absl::Status& status) const {
    if (!absl::IsDeadlineExceeded(status) || Clock::now() < end_) return status;
    absl::Status named = Error();
    status.ForEachPayload([&named](absl::string_view type, const absl::Cord& payload) {
      named.SetPayload(type, payload);
    });
    return named;
  }

 private:
  const std::chrono::milliseconds time_;
  Clock::time_point end_ = Clock::time_point::max();
};

// For how long a command waits for what is no turn: until Ctrl-C, and for --max-time.
class Patience {
 public:
  Patience(const MaxTime& max_time, cursor_apps::Interrupt& interrupt)
      : max_time_(max_time), interrupt_(interrupt), scope_(interrupt, [this] {
          interrupted_.request_stop();
          stop_.request_stop();
        }) {
    if (max_time.end() == Clock::time_point::max()) return;
    const auto wait = [this, end = max_time.end()](const std::stop_token& done) {
      std::unique_lock lock(mutex_);
      never_.wait_until(lock, done, end, [] { return false; });
      if (!done.stop_requested()) stop_.request_stop();
    };
    if (!cursor_apps::StartThread(alarm_, wait)) status_ = cursor_apps::NoThreadError();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  //   kUnavailable  the system starts no more threads
  const absl::Status& status() const { return status_; }
  std::stop_token stop() const { return stop_.get_token(); }
  // By Ctrl-C alone.
  std::stop_token interrupted() const { return interrupted_.get_token(); }
  // The status of something that was stopped by stop(), or had its own end.
  absl::Status Why(const absl::Status& status) const {
    if (interrupt_.signal() != 0) return absl::CancelledError("interrupted");
    if (status.ok() || !stop_.stop_requested()) return status;
    return max_time_.Error();
  }

 private:
  const MaxTime& max_time_;
  const cursor_apps::Interrupt& interrupt_;
  absl::Status status_;
  std::stop_source interrupted_;
  std::stop_source stop_;
  const cursor_apps::Interrupt::Scope scope_;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread alarm_;
};

// Commands that ask the service once.
absl::Status Ask(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  const MaxTime max_time(options.max_time);
  const Patience patience(max_time, interrupt);
  if (!patience.status().ok()) return patience.status();
  output.LimitWaits(patience.interrupted(), max_time.end());
  std::optional<cursorwire::LocalUpstream> local;
  const absl::StatusOr<cursorwire::Client> client = Connect(options, local, {}, patience.stop());
  if (!client.ok()) return patience.Why(client.status());
  return WithHint(patience.Why(options.command == Command::kUsage
                                   ? PrintUsage(*client, options, output, patience.stop())
                                   : PrintModels(*client, options, output, patience.stop())));
}

absl::StatusOr<std::vector<cursorwire::Attachment>> ReadAttachments(const Options& options) {
  if (options.attach.empty()) return std::vector<cursorwire::Attachment>();
  const absl::StatusOr<Attachments> folder = Attachments::Open(options.workspace);
  if (!folder.ok()) return folder.status();
  return folder->ReadEach(options.attach);
}

absl::Status Chat(const Options& options, cursor_apps::Interrupt& interrupt,
                  RunningCommands& running, Output& output) {
  output.LimitWaits({}, MaxTime(options.max_time).end());
  const absl::StatusOr<std::string> prompt = ReadPrompt(options.words);
  if (!prompt.ok()) return prompt.status();
  const MaxTime max_time(options.max_time);
  output.LimitWaits({}, max_time.end());  // for output before the turn
  const absl::StatusOr<std::vector<std::string>> images = ReadImages(options.images);
  if (!images.ok()) return images.status();
  absl::StatusOr<std::vector<cursorwire::Attachment>> attachments = ReadAttachments(options);
  if (!attachments.ok()) return attachments.status();
  absl::StatusOr<cursorwire::ToolRegistry> tools = OfferedTools(options, running);
  if (!tools.ok()) return tools.status();
  TerminalQuestion question(output);
  const auto servers = StartMcpServers(options, running);
  if (!servers.ok()) return servers.status();
  cursorwire::ActionPolicy policy = MakePolicy(options.allow, options.mode, question);
  if (options.format == Format::kText) policy = ShowUnnamed(std::move(policy), output);
  const auto workspace = OpenWorkspace(options, policy);
  if (!workspace.ok()) return workspace.status();
  running.Watch(*workspace);
  // The current folder, where --local alone looks, may be anything.
  absl::StatusOr<cursorwire::context::ProjectRules> rules =
      ReadRules(options, RulesOf::kNamedWorkspace);
  if (!rules.ok()) return rules.status();
  for (const absl::Status& failure : rules->failures) PrintWarning(output, failure);
  absl::StatusOr<Session> session = Session::Open(options);
  if (!session.ok()) return session.status();
  std::optional<cursorwire::LocalUpstream> local;
  std::optional<Patience> patience(std::in_place, max_time, interrupt);
  if (!patience->status().ok()) return patience->status();
  const absl::StatusOr<cursorwire::Client> client =
      Connect(options, local, {.workspace = *workspace}, patience->stop());
  if (!client.ok()) return patience->Why(client.status());
  // A script that asks again after a failure asks once.
  if (absl::Status loaded = session->Load(*client, cursorwire::UnfinishedTurns::kForget);
      !loaded.ok())
    return loaded;
  const absl::StatusOr<cursorwire::ChosenModel> model =
      ChooseModel(*client, session->model(options), options, output, patience->stop());
  if (!model.ok()) return patience->Why(model.status());
  patience.reset();  // before the look: a signal after it ends the program
  if (interrupt.signal() != 0) return absl::CancelledError("interrupted");

  AwaitMcpServers(*servers, max_time.end(), output);
  if (*servers != nullptr) {
    (*servers)->AddTools(*tools, MakeCallPolicy(options.allow, options.mode, question));
  }

  const absl::StatusOr<std::chrono::milliseconds> left = max_time.Left();
  if (!left.ok()) return left.status();
  // Before the turn starts, so that no signal ends the process without cancelling the turn.
  std::stop_source cancel;
  const cursor_apps::Interrupt::Scope scope(interrupt, [&cancel] { cancel.request_stop(); });
  output.LimitWaits(cancel.get_token(), max_time.end());
  cursorwire::ChatRequest request = MakeRequest(options, *model);
  request.timeout = *left;
  request.prompt = *prompt;
  request.tools = *std::move(tools);
  request.images = *images;
  request.attachments = *std::move(attachments);
  request.rules = std::move(rules->rules);
  const auto save = [&session, &max_time](const absl::Status& status) {
    // What was said is kept, even if nobody reads it any more.
    if (absl::Status saved = session->Save(); status.ok()) return saved;
    return WithHint(max_time.Name(status));
  };
  absl::Status status = PlayTurn(session->conversation(), std::move(request), options.format,
                                 cancel.get_token(), output, save);
  running.StopServers();
  running.KillAll();  // a signal that comes now would leave them behind
  return status;
}

// `session_exit` is set by a terminal session: how it was left.
absl::Status Run(Options options, cursor_apps::Interrupt& interrupt, RunningCommands& running,
                 Output& output, int& session_exit) {
  if (options.command == Command::kChat || options.command == Command::kAcp) {
    absl::StatusOr<OwnFiles> own = ReadOwnFiles(options);
    if (!own.ok()) return own.status();
    options.own_files = std::make_shared<const OwnFiles>(*std::move(own));
  }
  switch (options.command) {
    case Command::kModels:
    case Command::kUsage:
      return Ask(options, interrupt, output);
    case Command::kSessions:
      return PrintSessions(options, output);
    case Command::kSessionsRemove:
      return RemoveSessions(options, output);
    case Command::kLogin:
      return WithConnectionHint(LogIn(options, interrupt, output));
    case Command::kLogout:
      return LogOut(options, interrupt, output);
    case Command::kWhoami:
      return PrintAccount(options, output);
    case Command::kBashCompletion:
      output.Write(BashCompletion(DescribeOptions()));
      return absl::OkStatus();
    case Command::kZshCompletion:
      output.Write(ZshCompletion(DescribeOptions()));
      return absl::OkStatus();
    case Command::kFishCompletion:
      output.Write(FishCompletion(DescribeOptions()));
      return absl::OkStatus();
    case Command::kTraceShow:
      return ShowTrace(options.words[0], output);
    case Command::kTraceToScript:
      return PrintTraceScripts(options.words[0], output);
    case Command::kMcpList:
    case Command::kMcpTest:
      return RunMcpCommand(options, running, output);
    case Command::kAcp:
      return RunAcp(options, interrupt, running, output);
    case Command::kDoctor:
      return RunDoctor(options, interrupt, output);
    case Command::kHelp:  // done by ParseOptions()
    case Command::kChat:
      break;
  }
  if (IsTerminalSession(options)) {
    return RunTerminalSession(options, interrupt, running, output, session_exit);
  }
  return WithHint(Chat(options, interrupt, running, output));
}

int Main(int argc, char** argv) {
  cursor_apps::HideMemory();
  cursor_apps::OpenStandardStreams();
  // So that a closed pipe, or a file that must not grow, shows as a failed write.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);  // so that we can wait for commands
  Output output(cursor_apps::TokenRedactor());
  const std::variant<Options, int> parsed = ParseOptions(argc, argv, output);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  RunningCommands running;
  const auto logins = std::make_shared<OpenLogins>();
  cursor_apps::Interrupt interrupt([&running] { running.KillAll(); },
                                   [&logins] { return logins->is_renewing(); });
  if (!interrupt.status().ok()) {
    PrintError(output, interrupt.status());
    return cursor_apps::ExitCodeOf(interrupt.status());
  }
  auto options = std::get<Options>(parsed);
  options.logins = logins;
  absl::StatusOr<std::shared_ptr<cursorwire::Trace>> trace = StartTrace(options.trace_file);
  absl::Status status = trace.status();
  int session_exit = cursor_apps::kExitOk;
  if (trace.ok()) {
    options.trace = *std::move(trace);
    status = Run(options, interrupt, running, output, session_exit);
    running.StopServers();  // while a signal still ends that
    FinishTrace(options.trace, output);
  }
  if (!status.ok() && !output.used() && (interrupt.signal() == 0 || IsDocuments(options.format))) {
    PrintErrorObject(options.format, output, status,
                     {.model = options.model, .mode = options.mode});
  }
  if (interrupt.signal() != 0) return cursor_apps::kExitSignal + interrupt.signal();
  output.Close();
  if (status.ok()) status = output.status();
  if (status.ok()) return session_exit;
  // The reader has what it wanted, so there is nothing to report.
  if (output.reader_is_gone() && status == output.status()) return cursor_apps::kExitOther;
  PrintError(output, status);
  return cursor_apps::ExitCodeOf(status);
}

}  // namespace
}  // namespace cursor_chat

int main(int argc, char** argv) { return cursor_chat::Main(argc, argv); }
