#include "terminal_session/commands.h"

#include <cursorwire/session_file.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "commands/models.h"
#include "common/visible_text.h"
#include "output/notices.h"
#include "terminal_session/command_table.h"
#include "terminal_session/session_state.h"
#include "turn/images.h"

namespace cursor_chat {
namespace {

using cursorwire::AgentMode;

constexpr size_t kMaxListedSessions = 20;
constexpr size_t kMaxTitleBytes = 50;

struct ModeWord {
  std::string_view word;
  AgentMode mode;
};
constexpr ModeWord kModeWords[] = {{"agent", AgentMode::kAgent},
                                   {"plan", AgentMode::kPlan},
                                   {"ask", AgentMode::kAsk},
                                   {"debug", AgentMode::kDebug}};

std::string_view WordOf(AgentMode mode) {
  for (const ModeWord& word : kModeWords) {
    if (word.mode == mode) return word.word;
  }
  return "agent";
}

// An error of a command, in place of one that a service or a file gave.
absl::Status NeedsFile(std::string_view command) {
  return absl::InvalidArgumentError("name a file: /" + std::string(command) + " FILE");
}

std::string ShortTitle(const std::string& title) {
  std::string shown = cursor_apps::ExactLine(title).substr(0, kMaxTitleBytes);
  cursor_apps::CutToWholeCharacters(shown);
  return shown;
}

// Checks a choice of the user against the models of the service. If these cannot be had, the next
// turn will tell.
absl::Status CheckChoice(SessionState& state, const Options& options) {
  const auto list = state.models.Get();
  if (!list.ok()) {
    PrintWarning(state.output, list.status());
    return absl::OkStatus();
  }
  cursorwire::ModelWish wish{.model = options.model == "default" ? "auto" : options.model,
                             .effort = options.effort,
                             .context = options.context};
  if (options.max_mode) wish.max_mode = true;
  return cursorwire::ChooseModel((*list)->models, wish).status();
}

absl::Status ListSessionsTo(SessionState& state) {
  const std::string folder = cursorwire::DefaultSessionFolder();
  absl::StatusOr<std::vector<cursorwire::SessionInfo>> sessions = cursorwire::ListSessions(folder);
  if (absl::IsNotFound(sessions.status()) || (sessions.ok() && sessions->empty())) {
    state.Say("there are no kept conversations; /save keeps this one");
    return absl::OkStatus();
  }
  if (!sessions.ok()) return sessions.status();
  sessions->resize(std::min(sessions->size(), kMaxListedSessions));
  std::string text;
  for (size_t i = 0; i < sessions->size(); ++i) {
    const cursorwire::SessionInfo& session = (*sessions)[i];
    std::string number = std::to_string(i + 1);
    number.insert(0, 4 - std::min<size_t>(number.size(), 3), ' ');
    text += number + "  " + ShortTitle(session.title) + " (" + std::to_string(session.turns) +
            (session.turns == 1 ? " turn" : " turns") + ", " +
            cursor_apps::ExactLine(session.model) + ")\n";
  }
  state.listed_sessions = *std::move(sessions);
  state.Say(text + "/resume N goes on with one of them");
  return absl::OkStatus();
}

// The file that "/resume" names: a number of the list, or a path.
absl::StatusOr<std::string> FileToResume(const SessionState& state, std::string_view argument) {
  size_t number = 0;
  const char* end = argument.data() + argument.size();
  const auto [rest, error] = std::from_chars(argument.data(), end, number);
  if (error != std::errc() || rest != end) return std::string(argument);
  if (number == 0 || number > state.listed_sessions.size()) {
    return absl::InvalidArgumentError("there is no conversation " + std::string(argument) +
                                      "; /resume lists them");
  }
  return state.listed_sessions[number - 1].path;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void SessionState::Say(std::string_view text) const {
  std::string shown = cursor_apps::VisibleText(output.redactor().Redact(text));
  if (!shown.ends_with('\n')) shown += '\n';
  output.WriteShown(shown);
}

absl::Status ShowHelp(SessionState& state, std::string_view /*argument*/) {
  state.Say(CommandHelp());
  return absl::OkStatus();
}

absl::Status ChangeModel(SessionState& state, std::string_view argument) {
  if (argument.empty()) {
    const auto list = state.models.Get();
    if (!list.ok()) return list.status();
    state.Say(ModelTable((*list)->models) + "the model is " +
              cursor_apps::ExactLine(state.session.model(state.options)));
    return absl::OkStatus();
  }
  Options changed = state.options;
  changed.model = std::string(argument);
  changed.has_model = true;
  if (absl::Status status = CheckChoice(state, changed); !status.ok()) return status;
  state.options = std::move(changed);
  state.Say("the model is " + state.options.model);
  return absl::OkStatus();
}

absl::Status ChangeMode(SessionState& state, std::string_view argument) {
  if (!argument.empty()) {
    const auto* found =
        std::find_if(std::begin(kModeWords), std::end(kModeWords),
                     [argument](const ModeWord& word) { return word.word == argument; });
    if (found == std::end(kModeWords)) {
      return absl::InvalidArgumentError("the mode must be agent, plan, ask or debug, not '" +
                                        std::string(argument) + "'");
    }
    state.options.mode = found->mode;
    state.mode = found->mode;
  }
  state.Say("the mode is " + std::string(WordOf(state.options.mode)));
  return absl::OkStatus();
}

absl::Status ChangeEffort(SessionState& state, std::string_view argument) {
  const std::string model = state.session.model(state.options);
  if (argument.empty()) {
    const auto list = state.models.Get();
    if (!list.ok()) return list.status();
    std::string words;
    for (const std::string& word : FindEfforts(**list, model)) words += " " + word;
    const std::string& effort = state.options.effort;
    state.Say("the effort is " + (effort.empty() ? "the model's default" : effort) + "; " + model +
              (words.empty() ? " offers no choice" : " offers" + words));
    return absl::OkStatus();
  }
  Options changed = state.options;
  changed.model = model;
  changed.effort = argument == "default" ? "" : std::string(argument);
  if (absl::Status status = CheckChoice(state, changed); !status.ok()) return status;
  state.options.effort = changed.effort;
  state.Say("the effort is " +
            (changed.effort.empty() ? std::string("the model's default") : changed.effort));
  return absl::OkStatus();
}

absl::Status ChangeSystem(SessionState& state, std::string_view argument) {
  if (!argument.empty()) state.options.system = argument == "-" ? "" : std::string(argument);
  const std::string& system = state.options.system;
  state.Say(system.empty() ? "the agent has no rules of /system" : "the rules are: " + system);
  return absl::OkStatus();
}

absl::Status AddImage(SessionState& state, std::string_view argument) {
  if (argument.empty()) return NeedsFile("image");
  absl::StatusOr<std::vector<std::string>> image = ReadImages({std::string(argument)});
  if (!image.ok()) return image.status();
  state.images.push_back(std::move(image->front()));
  const size_t count = state.images.size();
  state.Say("the next prompt shows " + std::to_string(count) + (count == 1 ? " image" : " images"));
  return absl::OkStatus();
}

absl::Status TakeBack(SessionState& state, std::string_view /*argument*/) {
  const std::vector<cursorwire::HistoryTurn> turns = state.session.conversation().history();
  if (absl::Status status = state.session.TakeBackLastTurn(); !status.ok()) return status;
  const size_t left = turns.size() - 1;
  state.Say("took back: " + ShortTitle(FirstLine(turns.back().prompt)) + "\n" +
            std::to_string(left) + (left == 1 ? " turn is left" : " turns are left"));
  return absl::OkStatus();
}

absl::Status BeginAnew(SessionState& state, std::string_view /*argument*/) {
  state.session.BeginAnew(state.client);
  if (state.options.save_session) {
    const absl::StatusOr<std::string> path = cursorwire::NewSessionPath();
    if (!path.ok()) return path.status();
    if (absl::Status status = state.session.KeepIn(*path); !status.ok()) return status;
  }
  state.Say("this is another conversation");
  return absl::OkStatus();
}

absl::Status Resume(SessionState& state, std::string_view argument) {
  if (argument.empty()) return ListSessionsTo(state);
  const absl::StatusOr<std::string> path = FileToResume(state, argument);
  if (!path.ok()) return path.status();
  if (*path != state.session.path()) {
    if (absl::Status status = state.session.Resume(state.client, *path); !status.ok()) {
      return status;
    }
  }
  const std::vector<cursorwire::HistoryTurn> turns = state.session.conversation().history();
  std::string text = "goes on with " + *path + ", " + std::to_string(turns.size()) +
                     (turns.size() == 1 ? " turn" : " turns");
  if (!turns.empty()) text += "\nthe last prompt was: " + ShortTitle(turns.back().prompt);
  state.Say(text);
  return absl::OkStatus();
}

absl::Status Save(SessionState& state, std::string_view argument) {
  std::string path(argument);
  if (path.empty()) path = state.session.path();
  if (path.empty()) {
    absl::StatusOr<std::string> made = cursorwire::NewSessionPath();
    if (!made.ok()) return made.status();
    path = *std::move(made);
  }
  if (path != state.session.path()) {
    if (absl::Status status = state.session.KeepIn(path); !status.ok()) return status;
  }
  state.Say("kept in " + path);
  return absl::OkStatus();
}

absl::Status ShowUsage(SessionState& state, std::string_view /*argument*/) {
  state.Say(UsageText(state.usage));
  if (!state.plan_usage) return absl::OkStatus();
  const absl::StatusOr<std::string> plan = state.plan_usage();
  if (!plan.ok()) return plan.status();
  state.Say(*plan);
  return absl::OkStatus();
}

absl::Status Quit(SessionState& state, std::string_view /*argument*/) {
  state.leaves = true;
  return absl::OkStatus();
}

}  // namespace cursor_chat
