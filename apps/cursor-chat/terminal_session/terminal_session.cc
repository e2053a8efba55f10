#include "terminal_session/terminal_session.h"

#include <absl/strings/ascii.h>
#include <cursorwire/context/project_rules.h>
#include <cursorwire/local_upstream.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "commands/models.h"
#include "commands/usage.h"
#include "common/exit_code.h"
#include "common/mcp_news.h"
#include "common/unasked_question.h"
#include "common/visible_text.h"
#include "common/write_limit.h"
#include "connect.h"
#include "hint.h"
#include "output/notices.h"
#include "output/terminal_question.h"
#include "session.h"
#include "terminal_session/attachments.h"
#include "terminal_session/command_table.h"
#include "terminal_session/history_file.h"
#include "terminal_session/line_editor.h"
#include "terminal_session/rules.h"
#include "terminal_session/saved_terminal_mode.h"
#include "terminal_session/screen_style.h"
#include "terminal_session/session_state.h"
#include "terminal_session/turn_stop.h"
#include "terminal_session/turn_view.h"
#include "turn/allow.h"
#include "turn/images.h"
#include "turn/mcp_servers.h"
#include "turn/request_parts.h"

namespace cursor_chat {
namespace {

bool HasOnlySpaces(const std::string& text) { return text.find_first_not_of(" \t\n") == text.npos; }

// What a session works with. A value; what it refers to must outlive it.
struct Surroundings {
  const ScreenStyle& style;
  const SavedTerminalMode& terminal;
  cursor_apps::Interrupt& interrupt;
  RunningCommands& running;
  TurnStop& stop;
  Output& output;
};

// The servers of --mcp-config, and who is asked about their calls.
struct SessionServers {
  std::shared_ptr<cursorwire::mcp::Servers> servers{};  // nullptr: there are none
  TerminalQuestion& question;
  cursor_apps::McpNews news{};
};

// A session once everything that it needs is there.
class TerminalSession {
 public:
  TerminalSession(SessionState state, Attachments attachments,
                  std::vector<cursorwire::AgentRule> rules, const Surroundings& surroundings,
                  SessionServers servers)
      : state_(std::move(state)),
        attachments_(std::move(attachments)),
        rules_(std::move(rules)),
        around_(surroundings),
        servers_(std::move(servers)),
        history_(DefaultHistoryPath(), state_.output.redactor()) {}

  // Returns the exit code.
  absl::StatusOr<int> Run();

 private:
  Completion Complete(std::string_view before);
  void ReadHistory();
  void Remember(const Entry& entry);
  // True: the user leaves.
  bool OnInterrupted(const Entry& entry);
  void OnText(const Entry& entry);
  absl::Status Turn(const Entry& entry);
  absl::StatusOr<cursorwire::ChatRequest> RequestFor(const Entry& entry);
  absl::StatusOr<cursorwire::ChosenModel> Model();
  absl::Status Show(cursorwire::ChatStream& answer);
  void Report(const absl::Status& status);
  // Tries those that have failed once more, for a second at most.
  void TryServersAgain();

  SessionState state_;
  const Attachments attachments_;
  const std::vector<cursorwire::AgentRule> rules_;
  const Surroundings around_;
  SessionServers servers_;
  HistoryFile history_;
  std::unique_ptr<LineEditor> editor_;
  bool warned_of_history_ = false;
  bool may_leave_ = false;  // Ctrl-C was pressed on an empty line
};

absl::StatusOr<int> TerminalSession::Run() {
  const auto paste = around_.style.dumb ? LineEditor::Paste::kPlain : LineEditor::Paste::kBracketed;
  auto editor =
      LineEditor::Create([this](std::string_view before) { return Complete(before); }, paste);
  if (!editor.ok()) return editor.status();
  editor_ = *std::move(editor);
  ReadHistory();
  while (!state_.leaves && around_.interrupt.signal() == 0) {
    const Entry entry = editor_->Read();
    around_.terminal.Quiet();
    if (entry.kind == Entry::Kind::kEnd) break;
    if (entry.kind == Entry::Kind::kInterrupted) {
      if (OnInterrupted(entry)) return cursor_apps::kExitSignal + SIGINT;
      continue;
    }
    may_leave_ = false;
    if (HasOnlySpaces(entry.text)) continue;
    Remember(entry);
    OnText(entry);
    if (!state_.output.status().ok()) return state_.output.status();
  }
  return cursor_apps::kExitOk;
}

Completion TerminalSession::Complete(std::string_view before) {
  const auto model = [this] { return state_.session.model(state_.options); };
  return cursor_chat::Complete(
      before,
      {.models = [this] { return state_.models.Ids(); },
       .efforts = [this, model] { return state_.models.EffortsOf(model()); },
       .files = [](std::string_view start) { return CompletePath(".", start); },
       .attachable =
           [this](std::string_view start) { return CompletePath(attachments_.folder(), start); }});
}

void TerminalSession::ReadHistory() {
  const absl::StatusOr<std::vector<std::string>> entries = history_.Read();
  if (!entries.ok()) return PrintWarning(state_.output, entries.status());
  for (const std::string& entry : *entries) editor_->Remember(entry);
}

void TerminalSession::Remember(const Entry& entry) {
  editor_->Remember(entry.shown);
  const absl::Status status = history_.Add(entry.text);
  if (!status.ok() && !std::exchange(warned_of_history_, true)) {
    PrintWarning(state_.output, status);
  }
}

bool TerminalSession::OnInterrupted(const Entry& entry) {
  if (!entry.text.empty()) {
    may_leave_ = false;
    return false;
  }
  if (std::exchange(may_leave_, true)) return true;
  state_.Say("(Ctrl-C once more leaves, and so does Ctrl-D)");
  return false;
}

void TerminalSession::OnText(const Entry& entry) {
  const TurnStop::Busy busy(around_.stop);
  if (const std::optional<CommandLine> line = ParseCommandLine(entry.text)) {
    Report(RunCommandLine(state_, *line));
  } else {
    Report(Turn(entry));
  }
}

absl::Status TerminalSession::Turn(const Entry& entry) {
  absl::StatusOr<cursorwire::ChatRequest> request = RequestFor(entry);
  if (!request.ok()) return request.status();
  cursorwire::ChatStream answer = state_.session.conversation().Chat(*request);
  const TurnStop::Cancel stops(around_.stop, [&answer] { answer.Cancel(); });
  const cursor_apps::Interrupt::Scope ends(around_.interrupt, [&answer] { answer.Cancel(); });
  absl::Status status = Show(answer);
  if (status.ok()) {  // else they are for the next try
    state_.images.clear();
    state_.attachments.clear();
  }
  if (absl::Status saved = state_.session.Save(); status.ok()) status = std::move(saved);
  return status;
}

absl::StatusOr<cursorwire::ChatRequest> TerminalSession::RequestFor(const Entry& entry) {
  // Not in a paste that the user has not seen: it may name what is not meant to be sent.
  absl::StatusOr<std::vector<cursorwire::Attachment>> named = attachments_.ReadNamed(entry.shown);
  if (!named.ok()) return named.status();
  for (const cursorwire::Attachment& attachment : *named) {
    state_.Say("attached: " + cursor_apps::ExactLine(AttachedPath(attachment)));
  }
  absl::StatusOr<cursorwire::ToolRegistry> tools = OfferedTools(state_.options, around_.running);
  if (!tools.ok()) return tools.status();
  if (servers_.servers != nullptr) {
    TryServersAgain();
    servers_.servers->AddTools(
        *tools, MakeCallPolicy(state_.options.allow, state_.mode, servers_.question));
  }
  absl::StatusOr<cursorwire::ChosenModel> model = Model();
  if (!model.ok()) {
    cursor_apps::KeepUnasked(state_.session.conversation(), entry.text, state_.images.size(),
                             model.status());
    if (absl::Status saved = state_.session.Save(); !saved.ok()) return saved;
    return model.status();
  }
  cursorwire::ChatRequest request = MakeRequest(state_.options, *std::move(model));
  request.prompt = entry.text;
  request.tools = *std::move(tools);
  request.images = state_.images;
  request.attachments = state_.attachments;
  for (cursorwire::Attachment& attachment : *named) {
    request.attachments.push_back(std::move(attachment));
  }
  request.rules = rules_;
  return request;
}

void TerminalSession::TryServersAgain() {
  std::stop_source stop;
  const TurnStop::Cancel stops(around_.stop, [&stop] { stop.request_stop(); });
  servers_.servers->TryAgain(stop.get_token(),
                             std::chrono::steady_clock::now() + cursor_apps::kServersTryTime);
  PrintMcpNews(servers_.servers, servers_.news, state_.output);
}

absl::StatusOr<cursorwire::ChosenModel> TerminalSession::Model() {
  const std::string name = state_.session.model(state_.options);
  if (!NeedsModels(state_.options)) return ChooseModelFrom(nullptr, name, state_.options);
  const absl::StatusOr<const cursorwire::ModelList*> list = state_.models.Get();
  if (!list.ok()) return list.status();
  return ChooseModelFrom(*list, name, state_.options);
}

absl::Status TerminalSession::Show(cursorwire::ChatStream& answer) {
  TurnView view(state_.output, around_.style);
  absl::Status status;
  for (const auto& event : answer) {
    if (!event.ok()) {
      status = event.status();
      break;
    }
    state_.usage.Count(*event);
    view.OnEvent(*event);
    if (!state_.output.status().ok()) return state_.output.status();
  }
  view.OnEnd();
  return status;
}

void TerminalSession::Report(const absl::Status& status) {
  if (status.ok() || status == state_.output.status()) return;
  if (absl::IsCancelled(status) && around_.stop.stopped()) {
    state_.Say("(stopped: the agent is told so with the next prompt)");
  } else {
    PrintError(state_.output, WithHint(status));
  }
}

// Says in one line which rules are used, and in others which are not.
absl::StatusOr<std::vector<cursorwire::AgentRule>> ShowRules(const SessionState& state) {
  absl::StatusOr<cursorwire::context::ProjectRules> rules =
      ReadRules(state.options, RulesOf::kWorkspace);
  if (!rules.ok()) return rules.status();
  for (const absl::Status& failure : rules->failures) PrintWarning(state.output, failure);
  std::string names;
  // Names of files are as a stranger may have given them.
  for (const std::string& name : rules->names)
    names += (names.empty() ? "" : ", ") + cursor_apps::ExactLine(name);
  if (!names.empty()) state.Say("rules: " + names);
  return std::move(rules->rules);
}

// The policy of the options, for the mode that the session has at that moment. What it refers to
// must outlive it.
cursorwire::ActionPolicy PolicyFor(const Options& options,
                                   const std::atomic<cursorwire::AgentMode>& mode,
                                   TerminalQuestion& question) {
  return [allow = options.allow, &mode, &question](const cursorwire::LocalAction& action,
                                                   const cursorwire::ActionContext& context) {
    return MakePolicy(allow, mode, question)(action, context);
  };
}

// Reads what the options attach to the first prompt, and runs the session.
absl::StatusOr<int> RunWith(SessionState state, const Surroundings& surroundings,
                            SessionServers servers) {
  absl::StatusOr<std::vector<std::string>> images = ReadImages(state.options.images);
  if (!images.ok()) return images.status();
  state.images = *std::move(images);
  absl::StatusOr<Attachments> attachments = Attachments::Open(state.options.workspace);
  if (!attachments.ok()) return attachments.status();
  auto attached = attachments->ReadEach(state.options.attach);
  if (!attached.ok()) return attached.status();
  state.attachments = *std::move(attached);
  state.Say("cursor-chat: /help lists the commands, Ctrl-D leaves");
  absl::StatusOr<std::vector<cursorwire::AgentRule>> rules = ShowRules(state);
  if (!rules.ok()) return rules.status();
  TerminalSession session(std::move(state), *std::move(attachments), *std::move(rules),
                          surroundings, std::move(servers));
  return session.Run();
}

// What the account has used of its plan, for /usage.
absl::StatusOr<std::string> ReadPlanUsage(const cursorwire::Client& client,
                                          const ScreenStyle& style) {
  constexpr size_t kPlanBarColumns = 30;
  const absl::StatusOr<cursorwire::AccountUsage> usage = client.GetUsage();
  if (!usage.ok()) return usage.status();
  return UsageText(*usage, style.decorated ? kPlanBarColumns : 0);
}

// Opens what the options name, and runs the session with it. Returns the exit code.
absl::StatusOr<int> Converse(const Options& options, const Surroundings& surroundings) {
  std::atomic<cursorwire::AgentMode> mode = options.mode;
  TerminalQuestion question(surroundings.output);
  const auto workspace =
      OpenWorkspace(options, ShowUnnamed(PolicyFor(options, mode, question), surroundings.output));
  if (!workspace.ok()) return workspace.status();
  surroundings.running.Watch(*workspace);
  const auto servers = StartMcpServers(options, surroundings.running);
  if (!servers.ok()) return servers.status();
  absl::StatusOr<Session> session = Session::Open(options);
  if (!session.ok()) return session.status();
  std::optional<cursorwire::LocalUpstream> local;
  const absl::StatusOr<cursorwire::Client> client =
      Connect(options, local, {.workspace = *workspace});
  if (!client.ok()) return client.status();
  if (absl::Status loaded = session->Load(*client, cursorwire::UnfinishedTurns::kKeepAsked);
      !loaded.ok())
    return loaded;
  KnownModels models(*client, surroundings.stop);
  SessionServers session_servers{*servers, question};
  if (*servers != nullptr) (*servers)->WaitUntilSettled();
  PrintMcpNews(*servers, session_servers.news, surroundings.output);
  return RunWith(
      {.options = options,
       .client = *client,
       .output = surroundings.output,
       .session = *session,
       .models = models,
       .mode = mode,
       .plan_usage = [&client,
                      style = surroundings.style] { return ReadPlanUsage(*client, style); }},
      surroundings, std::move(session_servers));
}

// The user's locale may not be installed here, as over ssh and in containers. That it is one of
// UTF-8 is all that matters.
void UseLocaleOfUser() {
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread looks at it yet
  if (::setlocale(LC_CTYPE, "") != nullptr) return;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = absl::AsciiStrToLower(value);
    const bool is_utf8 = locale.ends_with("utf-8") || locale.ends_with("utf8");
    if (is_utf8) ::setlocale(LC_CTYPE, "C.UTF-8");
    return;
  }
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace

bool IsTerminalSession(const Options& options) {
  return options.words.empty() && options.format == Format::kText && ::isatty(STDIN_FILENO) != 0 &&
         ::isatty(STDOUT_FILENO) != 0;
}

absl::Status RunTerminalSession(const Options& options, cursor_apps::Interrupt& interrupt,
                                RunningCommands& running, Output& output, int& exit_code) {
  UseLocaleOfUser();
  const ScreenStyle style = StyleOfProcess(options.plain);
  using Paste = SavedTerminalMode::Paste;
  const SavedTerminalMode terminal(STDIN_FILENO, style.dumb ? Paste::kPlain : Paste::kBracketed);
  std::stop_source ends;
  output.LimitWaits(ends.get_token(), cursor_apps::WriteLimit::Clock::time_point::max());
  TurnStop stop;
  const cursor_apps::Interrupt::Filter filter(interrupt, [&](int signal) {
    if (signal == SIGINT && stop.OnInterrupt()) return true;
    ends.request_stop();
    return false;
  });
  const cursor_apps::Interrupt::ExitScope restores(interrupt,
                                                   [&terminal] { terminal.RestoreForGood(); });
  terminal.Quiet();
  const absl::StatusOr<int> code =
      Converse(options, {style, terminal, interrupt, running, stop, output});
  running.KillAll();   // commands in the background too
  terminal.Restore();  // while a signal still finds that to be done
  if (code.ok()) exit_code = *code;
  return code.status();
}

}  // namespace cursor_chat
