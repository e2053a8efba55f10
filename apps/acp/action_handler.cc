#include "acp/action_handler.h"

#include <cursorwire/exec.h>
#include <cursorwire/run_options.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "acp/editor_terminal.h"
#include "acp/editor_text.h"
#include "acp/tool_call.h"
#include "common/visible_text.h"

namespace cursor_acp {
namespace {

using cursorwire::ActionContext;
using cursorwire::AgentMode;
using cursorwire::LocalAction;
using cursorwire::ReadOutput;
using cursorwire::ShellAction;
using cursorwire::ShellOutput;
using cursorwire::WriteAction;
using cursorwire::WriteOutput;

// A larger file is not given to an editor.
constexpr size_t kMaxEditorFileBytes = size_t{1024} * 1024;

constexpr char kNoFolder[] =
    "the user does not allow to look into the folder; answer from the conversation";
constexpr char kRunsCode[] = "Other programs may run what is in this file.";
constexpr char kHasChanged[] = "The server has changed this tool since you were asked about it.";
// Ends a LocalExecHandler's part of an action that the editor has done.
absl::Status EndOfLocalPart() { return absl::AbortedError("done by the editor"); }

// Whether a diff may look like another one in an editor. Ends of lines are the editor's to show.
bool HasUnseen(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return cursor_apps::ExactText(text) != text;
}

int64_t LinesIn(const std::string& text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

// Keeps the start of what a command prints while it runs.
class ShownOutput final : public cursorwire::ShellSink {
 public:
  explicit ShownOutput(cursorwire::ShellSink& next) : next_(next) {}

  void Started(const std::optional<cursorwire::SandboxPolicy>& sandbox) override {
    next_.Started(sandbox);
  }
  void Out(std::string_view bytes) override {
    Keep(bytes);
    next_.Out(bytes);
  }
  void Err(std::string_view bytes) override {
    Keep(bytes);
    next_.Err(bytes);
  }
  const std::string& text() const { return text_; }

 private:
  void Keep(std::string_view bytes) {
    // One more shows that it is cut.
    text_ +=
        bytes.substr(0, kMaxShownToolBytes + 1 - std::min(text_.size(), kMaxShownToolBytes + 1));
  }

  cursorwire::ShellSink& next_;
  std::string text_;
};

}  // namespace

// A write while it is decided on and done.
struct ActionHandler::Writing {
  const cursorwire::WriteArgs& args;
  bool by_editor = false;
  absl::Status editor_status{};
  std::string path{};  // absolute
  // Before the write; nullopt: the editor has none.
  std::optional<std::string> editor_text{};
  std::shared_ptr<Turn> turn{};
  ShownAction shown{};
};

absl::StatusOr<std::shared_ptr<ActionHandler>> ActionHandler::Create(Editor& editor,
                                                                     Options options) {
  if (!options.allow.read) {
    return std::shared_ptr<ActionHandler>(new ActionHandler(
        std::move(*LocalExecHandler::CreateWithoutFolder(kNoFolder)), editor, std::move(options)));
  }
  // Set before there is an action.
  const auto self = std::make_shared<ActionHandler*>(nullptr);
  const auto local = LocalExecHandler::Create(
      options.folder, {.policy =
                           [self](const LocalAction& action, const ActionContext& context) {
                             return (*self)->DecideLocal(action, context);
                           },
                       .code_files = options.code_files,
                       .sandbox = cursor_apps::SandboxFor(options.allow, options.sandbox),
                       .variables = options.variables});
  if (!local.ok()) return local.status();
  std::shared_ptr<ActionHandler> handler(
      new ActionHandler(std::move(**local), editor, std::move(options)));
  *self = handler.get();
  return handler;
}

ActionHandler::ActionHandler(LocalExecHandler&& local, Editor& editor, Options options)
    : LocalExecHandler(std::move(local)),
      QuestionHandler(editor, {.session_id = options.session_id,
                               .may_ask = options.allow.ask,
                               .forms = options.abilities.forms,
                               .max_question_time = options.max_question_time,
                               .switch_mode = options.switch_mode}),
      options_(std::move(options)) {}

void ActionHandler::SetMode(AgentMode mode) {
  const std::lock_guard lock(mutex_);
  mode_ = mode;
}

AgentMode ActionHandler::mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

ActionHandler::ShownAction ActionHandler::Show(Turn& turn, Json members,
                                               const ActionContext& context) {
  std::string id = turn.calls().AwaitShown(context.call_id, context.stop);
  if (id.empty()) return {turn.updates().ShowOwnCall(std::move(members)), /*is_own=*/true};
  members["sessionUpdate"] = "tool_call_update";
  members["toolCallId"] = id;
  members.erase("rawInput");  // the call has what the agent gave
  turn.updates().Send(std::move(members));
  return {std::move(id), /*is_own=*/false};
}

absl::Status ActionHandler::AskInMode(Json tool_call, const Scope& scope,
                                      const ActionContext& context) {
  absl::Status answer = permissions().Ask(std::move(tool_call), scope, context.stop);
  return answer.ok() ? cursor_apps::CheckMode(mode()) : answer;
}

absl::Status ActionHandler::Decide(const LocalAction& action, AskedAction asked,
                                   const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (absl::Status status = cursor_apps::CheckMode(mode()); !status.ok()) return status;
  absl::Status allowed = cursor_apps::CheckAllowed(options_.allow, action);
  if (allowed.ok()) {
    if (UsesTerminal(action)) return allowed;  // ShellInEditor() shows what it runs
    KeepOwnCall(ShowAllowed(*turn, std::move(asked), context));
    return allowed;
  }
  if (!options_.allow.ask) return allowed;
  std::optional<Json> content = WholeTextItem(asked.words);
  if (!content) return TooLargeToShow();
  Json& members = asked.members;
  members["content"] = Json::array({*std::move(content)});
  if (asked.runs_code) members["content"].push_back(TextItem(kRunsCode));
  const Turn::Action counted(*turn);
  const ShownAction shown = Show(*turn, members, context);
  members["toolCallId"] = shown.call_id;
  absl::Status answer = AskInMode(std::move(members), asked.scope, context);
  if (!shown.is_own) return answer;
  if (answer.ok() && !UsesTerminal(action)) {
    KeepOwnCall(shown.call_id);
  } else {
    turn->updates().EndOwnCall(shown.call_id, answer.ok());
  }
  return answer;
}

std::string ActionHandler::ShowAllowed(Turn& turn, AskedAction asked,
                                       const ActionContext& context) {
  const Turn::Action counted(turn);
  if (!turn.calls().AwaitShown(context.call_id, context.stop).empty()) return "";
  asked.members["content"] = Json::array({TextItem(asked.words)});
  return turn.updates().ShowOwnCall(std::move(asked.members));
}

void ActionHandler::KeepOwnCall(std::string call_id) {
  if (call_id.empty()) return;
  const std::lock_guard lock(mutex_);
  own_calls_[std::this_thread::get_id()] = std::move(call_id);
}

absl::Status ActionHandler::DecideLocal(const LocalAction& action, const ActionContext& context) {
  return std::visit([&](const auto& what) { return Decide(action, AskedAbout(what), context); },
                    action);
}

std::string ActionHandler::EditorPath(const std::string& path) const {
  return options_.folder + path.substr(folder().size());
}

absl::StatusOr<std::string> ActionHandler::ReadInEditor(const std::string& path,
                                                        const ActionContext& context) {
  const absl::StatusOr<Json> answer = editor().Call(
      "fs/read_text_file", {{"sessionId", options_.session_id}, {"path", EditorPath(path)}},
      kMaxEditorTime, context.stop);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> text = RequireText(*answer, "content");
  if (text.ok() && text->empty()) return absl::NotFoundError("the editor has no text of it");
  return text;
}

absl::Status ActionHandler::WriteInEditor(const std::string& path, const std::string& content,
                                          const ActionContext& context) {
  return editor()
      .Call("fs/write_text_file",
            {{"sessionId", options_.session_id}, {"path", EditorPath(path)}, {"content", content}},
            kMaxEditorTime, context.stop)
      .status();
}

absl::StatusOr<ReadOutput> ActionHandler::Read(const cursorwire::ReadArgs& args,
                                               const ActionContext& context) {
  // Checks the path, too, and knows bytes from text.
  absl::StatusOr<ReadOutput> on_disk = LocalExecHandler::Read(args, context);
  const bool may_be_new = absl::IsNotFound(on_disk.status());
  const bool is_text = on_disk.ok() && on_disk->is_text;
  if (!options_.abilities.read_text_file || (!is_text && !may_be_new)) return on_disk;
  // Without a path it is a file of a background shell, which no editor has open.
  const absl::StatusOr<std::string> path = RealPath(args.path);
  if (!path.ok()) return on_disk;
  const absl::StatusOr<std::string> text = ReadInEditor(*path, context);
  if (!text.ok()) return on_disk;
  if (text->find('\0') != text->npos) return on_disk;
  TellText(*path, *text);
  return ReadOfText(args, *text);
}

// What the editor has of it need not be on the disk: it is asked before a write.
void ActionHandler::OnAttached(const cursorwire::AttachedFile& file) {
  if (!options_.abilities.read_text_file) return LocalExecHandler::OnAttached(file);
  const absl::StatusOr<std::string> path = RealPath(file.path);
  if (!path.ok()) return;
  TellDisk(*path);
  TellText(*path, file.content);
}

absl::StatusOr<WriteOutput> ActionHandler::Write(const cursorwire::WriteArgs& args,
                                                 const ActionContext& context) {
  if (folder().empty()) return LocalExecHandler::Write(args, context);
  Writing writing{.args = args};
  // The policy of this one write, which comes after the checks of the path, knows what is written
  // and lets the editor do it.
  const auto decide = [this, &writing](const LocalAction& action, const ActionContext& same) {
    const auto* write = std::get_if<WriteAction>(&action);
    return write == nullptr ? Refusal("not a write") : DecideWrite(*write, writing, same);
  };
  absl::StatusOr<WriteOutput> result = WriteWith(decide, args, context);
  if (writing.by_editor) result = WrittenByEditor(writing, context);
  if (writing.shown.is_own) {
    writing.turn->updates().EndOwnCall(writing.shown.call_id, result.ok());
  }
  return result;
}

absl::StatusOr<WriteOutput> ActionHandler::WrittenByEditor(const Writing& writing,
                                                           const ActionContext& context) {
  if (!writing.editor_status.ok()) return writing.editor_status;
  const cursorwire::WriteArgs& args = writing.args;
  WriteOutput output{.path = args.path,
                     .lines = LinesIn(args.content),
                     .file_bytes = static_cast<int64_t>(args.content.size())};
  TellDisk(writing.path);  // it may have saved it, with other ends of lines
  TellText(writing.path, args.content);
  if (!args.return_content) return output;
  // The editor may have formatted it.
  absl::StatusOr<std::string> after =
      options_.abilities.read_text_file ? ReadInEditor(writing.path, context) : args.content;
  output.content_after = after.ok() ? *std::move(after) : args.content;
  TellText(writing.path, *output.content_after);
  return output;
}

std::optional<std::string> ActionHandler::EditorTextOf(const std::string& path,
                                                       const ActionContext& context) {
  if (!options_.abilities.read_text_file) return std::nullopt;
  absl::StatusOr<std::string> text = ReadInEditor(path, context);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

std::optional<Json> ActionHandler::ChangeItem(const WriteAction& action, const Writing& writing,
                                              bool is_question) {
  std::optional<Json> item;
  if (action.shown) {
    Json old_text = action.creates ? Json() : Json(action.old_text);
    if (writing.editor_text) old_text = *writing.editor_text;
    item = DiffItem(action.path, old_text, writing.args.content);
  }
  if (item) return item;
  return is_question ? WholeTextItem(AskedAbout(action).words) : TextItem(action.diff);
}

absl::Status ActionHandler::DecideWrite(const WriteAction& action, Writing& writing,
                                        const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (absl::Status status = cursor_apps::CheckMode(mode()); !status.ok()) return status;
  absl::Status allowed = cursor_apps::CheckAllowed(options_.allow, action);
  if (!allowed.ok() && !options_.allow.ask) return allowed;
  if (!allowed.ok() && !action.shown) {
    return Refusal("the user is only asked about a change that can be shown. " + action.diff);
  }
  const Turn::Action counted(*turn);
  if (absl::Status known = CheckEditorText(action.path, writing, context); !known.ok()) {
    return DoneByEditor(writing, std::move(known));
  }
  std::optional<Json> change = ChangeItem(action, writing, !allowed.ok());
  if (!change) return TooLargeToShow();
  writing.turn = turn;
  writing.path = action.path;
  AskedAction asked = AskedAbout(action);
  Json& members = asked.members;
  members["content"] = Json::array({*std::move(change)});
  if (action.runs_code) members["content"].push_back(TextItem(kRunsCode));
  if (!allowed.ok() && HasUnseen(action.diff)) {
    std::optional<Json> exact = WholeTextItem(asked.words);
    if (!exact) return TooLargeToShow();
    members["content"].push_back(*std::move(exact));
  }
  writing.shown = Show(*turn, members, context);
  if (!allowed.ok()) {
    members["toolCallId"] = writing.shown.call_id;
    absl::Status answer = AskInMode(std::move(members), asked.scope, context);
    if (!answer.ok()) return answer;
    if (EditorTextOf(action.path, context) != writing.editor_text) {
      return DoneByEditor(writing, absl::AbortedError("the user has changed the file meanwhile: "
                                                      "read it again"));
    }
    if (absl::Status same = CheckUnchanged(action, writing.args, context); !same.ok()) {
      return DoneByEditor(writing, std::move(same));
    }
  }
  if (!options_.abilities.write_text_file || !action.shown) return absl::OkStatus();
  // Never to the disk behind an editor that has failed: it may hold other text of the file.
  return DoneByEditor(writing, writing.args.content.size() > kMaxEditorFileBytes
                                   ? absl::InvalidArgumentError(
                                         "the file is too large for the editor; change it in parts")
                                   : WriteInEditor(action.path, writing.args.content, context));
}

absl::Status ActionHandler::DoneByEditor(Writing& writing, absl::Status status) {
  writing.by_editor = true;
  writing.editor_status = std::move(status);
  return EndOfLocalPart();
}

absl::Status ActionHandler::CheckEditorText(const std::string& path, Writing& writing,
                                            const ActionContext& context) {
  writing.editor_text = EditorTextOf(path, context);
  return writing.editor_text ? CheckText(path, *writing.editor_text) : absl::OkStatus();
}

absl::Status ActionHandler::CheckUnchanged(const WriteAction& action,
                                           const cursorwire::WriteArgs& args,
                                           const ActionContext& context) {
  bool same = false;
  const auto look = [&](const LocalAction& again, const ActionContext& /*context*/) {
    const auto* write = std::get_if<WriteAction>(&again);
    same = write != nullptr && write->path == action.path && write->creates == action.creates &&
           write->shown == action.shown && write->old_text == action.old_text &&
           write->runs_code == action.runs_code;
    return EndOfLocalPart();
  };
  WriteWith(look, args, context).status().IgnoreError();  // the policy writes nothing
  if (same) return absl::OkStatus();
  return absl::AbortedError("somebody has changed the file meanwhile: read it again");
}

bool ActionHandler::MayUseTerminals() const {
  const bool only_inside = options_.sandbox == cursorwire::SandboxMode::kRequire;
  return options_.abilities.terminal && !only_inside && !commands_are_sandboxed();
}

bool ActionHandler::UsesTerminal(const LocalAction& action) const {
  const auto* shell = std::get_if<ShellAction>(&action);
  return shell != nullptr && !shell->in_background && MayUseTerminals();
}

bool ActionHandler::UsesTerminal(const cursorwire::ShellArgs& args) const {
  return MayUseTerminals() && !args.in_background && !folder().empty();
}

absl::StatusOr<cursorwire::DeleteOutput> ActionHandler::Delete(const cursorwire::DeleteArgs& args,
                                                               const ActionContext& context) {
  absl::StatusOr<cursorwire::DeleteOutput> result = LocalExecHandler::Delete(args, context);
  EndOwnCall(result.ok(), std::string(result.status().message()));
  return result;
}

absl::StatusOr<ShellOutput> ActionHandler::Shell(const cursorwire::ShellArgs& args,
                                                 const ActionContext& context) {
  if (UsesTerminal(args)) return ShellInEditor(args, context);
  absl::StatusOr<ShellOutput> result = LocalExecHandler::Shell(args, context);
  EndOwnShell(result, "");
  return result;
}

absl::StatusOr<ShellOutput> ActionHandler::ShellStream(const cursorwire::ShellArgs& args,
                                                       cursorwire::ShellSink& sink,
                                                       const ActionContext& context) {
  if (UsesTerminal(args)) return ShellInEditor(args, context);  // all of it at the end
  ShownOutput output(sink);
  absl::StatusOr<ShellOutput> result = LocalExecHandler::ShellStream(args, output, context);
  EndOwnShell(result, output.text());
  return result;
}

absl::StatusOr<cursorwire::BackgroundShellOutput> ActionHandler::BackgroundShell(
    const cursorwire::BackgroundShellArgs& args, const ActionContext& context) {
  absl::StatusOr<cursorwire::BackgroundShellOutput> result =
      LocalExecHandler::BackgroundShell(args, context);
  EndOwnCall(result.ok(), std::string(result.status().message()));
  return result;
}

absl::StatusOr<cursorwire::WriteShellStdinOutput> ActionHandler::WriteShellStdin(
    const cursorwire::WriteShellStdinArgs& args, const ActionContext& context) {
  absl::StatusOr<cursorwire::WriteShellStdinOutput> result =
      LocalExecHandler::WriteShellStdin(args, context);
  EndOwnCall(result.ok(), std::string(result.status().message()));
  return result;
}

void ActionHandler::EndOwnShell(const absl::StatusOr<ShellOutput>& result, std::string text) {
  text += result.ok() ? result->out + result->err : std::string(result.status().message());
  EndOwnCall(result.ok() && result->exit_code == 0 && result->signal.empty(), text);
}

void ActionHandler::EndOwnCall(bool worked, const std::string& text) {
  std::string call_id;
  {
    const std::lock_guard lock(mutex_);
    const auto own = own_calls_.find(std::this_thread::get_id());
    if (own == own_calls_.end()) return;
    call_id = std::move(own->second);
    own_calls_.erase(own);
  }
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return;  // its end has ended its calls
  turn->updates().EndOwnCall(call_id, worked, text);
}

absl::StatusOr<ShellOutput> ActionHandler::ShellInEditor(const cursorwire::ShellArgs& args,
                                                         const ActionContext& context) {
  std::optional<absl::StatusOr<ShellOutput>> in_editor;
  cursorwire::Environment environment;
  Describe(environment);
  // As in Write(): after the checks of the folder, the policy lets the editor run the command.
  const auto once = LocalExecHandler::Create(
      options_.folder,
      {.policy = [&](const LocalAction& action, const ActionContext& same) -> absl::Status {
        const auto* shell = std::get_if<ShellAction>(&action);
        if (shell == nullptr) return Refusal("not a command");
        if (absl::Status allowed = DecideLocal(action, same); !allowed.ok()) return allowed;
        const std::shared_ptr<Turn> turn = this->turn();
        if (turn == nullptr) return NoTurn();
        const Turn::Action counted(*turn);
        ShownAction shown;
        const auto on_created = [&](const std::string& terminal) {
          Json members = AskedAbout(*shell).members;
          members["content"] = Json::array({TerminalItem(terminal)});
          shown = Show(*turn, std::move(members), same);
        };
        in_editor =
            RunInTerminal(editor(), options_.session_id, {environment.shell, options_.variables},
                          *shell, args, on_created, same.stop);
        if (shown.is_own) {
          const bool worked = in_editor->ok() && (*in_editor)->exit_code == 0;
          turn->updates().EndOwnCall(shown.call_id, worked);
        }
        return EndOfLocalPart();
      }});
  if (!once.ok()) return once.status();
  absl::StatusOr<ShellOutput> result = (*once)->Shell(args, context);
  return in_editor ? *std::move(in_editor) : std::move(result);
}

cursorwire::mcp::CallPolicy ActionHandler::CallPolicyOfServers() {
  return [this](const cursorwire::mcp::ServerCall& call, const ActionContext& context) {
    return DecideCall(call, context);
  };
}

bool ActionHandler::HasChanged(const Scope& tool) {
  const std::lock_guard lock(mutex_);
  const auto [asked, is_new] = asked_tools_.try_emplace({tool[1], tool[2]}, tool);
  if (is_new || asked->second == tool) return false;
  asked->second = tool;
  return true;
}

absl::Status ActionHandler::DecideCall(const cursorwire::mcp::ServerCall& call,
                                       const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (absl::Status status = cursor_apps::CheckMode(mode()); !status.ok()) return status;
  if (options_.allow.mcp) {
    turn->updates().EndOwnCall(ShowAllowed(*turn, AskedAbout(call), context), true);
    return absl::OkStatus();
  }
  if (!options_.allow.ask) return Refusal("the user does not allow tools of servers");
  AskedAction asked = AskedAbout(call);
  std::optional<Json> content = WholeTextItem(asked.words);
  if (!content) return TooLargeToShow();
  const Turn::Action counted(*turn);
  const bool changed = call.resource.empty() && HasChanged(asked.scope);
  if (changed) asked = AskedAbout(call, "(changed) ");
  Json& members = asked.members;
  members["content"] = Json::array({*std::move(content)});
  if (changed) members["content"].push_back(TextItem(kHasChanged));
  std::optional<Json> words = ServerWords(call);
  if (words) members["content"].push_back(*std::move(words));
  const ShownAction shown = Show(*turn, members, context);
  members["toolCallId"] = shown.call_id;
  absl::Status answer = AskInMode(std::move(members), asked.scope, context);
  if (shown.is_own) turn->updates().EndOwnCall(shown.call_id, answer.ok());
  return answer;
}

}  // namespace cursor_acp
