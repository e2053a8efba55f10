#include "acp/action_handler.h"

#include <cursorwire/action_context.h>
#include <cursorwire/environment.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "acp/editor_terminal.h"
#include "acp/editor_text.h"
#include "acp/tool_call.h"
#include "visible_text.h"

namespace cursor_chat::acp {
namespace {

using cursorwire::ActionContext;
using cursorwire::AgentMode;
using cursorwire::DeleteAction;
using cursorwire::LocalAction;
using cursorwire::ReadOutput;
using cursorwire::ShellAction;
using cursorwire::ShellInputAction;
using cursorwire::ShellOutput;
using cursorwire::WriteAction;
using cursorwire::WriteOutput;

// A larger file is not given to an editor.
constexpr size_t kMaxEditorFileBytes = size_t{1024} * 1024;

absl::Status Refusal(const std::string& message) { return absl::PermissionDeniedError(message); }

constexpr char kNoFolder[] =
    "the user does not allow to look into the folder; answer from the conversation";
absl::Status NoTurn() { return absl::CancelledError("no turn is under way"); }
// Ends a LocalExecHandler's part of an action that the editor has done.
absl::Status EndOfLocalPart() { return absl::AbortedError("done by the editor"); }

absl::Status TooLargeToShow() {
  return Refusal("the user is only asked about what can be shown whole; do it in smaller parts");
}

Json Locations(const std::string& path) { return Json::array({{{"path", path}}}); }

// A file from which other programs run code must not look like any other.
constexpr char kRunsCode[] = "Other programs may run what is in this file.";
std::string FileTitle(const std::string& doing, const std::string& path, bool runs_code) {
  return QuestionTitle(doing + (runs_code ? " (other programs may run it) " : " ") + path);
}

Json MembersOf(const WriteAction& action) {
  return {{"title", FileTitle(action.creates ? "make" : "edit", action.path, action.runs_code)},
          {"kind", "edit"},
          {"locations", Locations(action.path)}};
}
Json MembersOf(const DeleteAction& action) {
  return {{"title", FileTitle("delete", action.path, action.runs_code)},
          {"kind", "delete"},
          {"locations", Locations(action.path)}};
}
Json MembersOf(const ShellAction& action) {
  return {{"title", QuestionTitle(action.command)},
          {"kind", "execute"},
          {"rawInput",
           {{"command", Shortened(action.command, kMaxShownToolBytes)},
            {"cwd", action.working_directory}}}};
}
Json MembersOf(const ShellInputAction& action) {
  return {{"title", QuestionTitle("input for " + action.command)},
          {"kind", "execute"},
          {"rawInput", {{"input", Shortened(action.chars, kMaxShownToolBytes)}}}};
}

Json MembersOf(const cursorwire::mcp::ServerCall& call, std::string_view before = "") {
  const bool reads = !call.resource.empty();
  return {{"title", QuestionTitle(std::string(before) + call.server + ": " +
                                  (reads ? call.resource : call.tool))},
          {"kind", reads ? "read" : "other"},
          {"rawInput", reads ? Json{{"uri", call.resource}} : ParseObject(call.arguments_json)}};
}
std::string WhatOf(const cursorwire::mcp::ServerCall& call) {
  return call.resource.empty() ? call.arguments_json : call.resource;
}

// What the user decides about. A title may be cut.
std::string WordsOf(const WriteAction& action) {
  return ExactLine(action.path) + "\n" + action.diff;
}
std::string WordsOf(const DeleteAction& action) { return ExactLine(action.path); }
std::string WordsOf(const ShellAction& action) {
  const std::string how = action.in_background ? "in the background, in " : "in ";
  return how + ExactLine(action.working_directory) + ":\n" + action.command;
}
std::string WordsOf(const ShellInputAction& action) {
  return "for " + ExactLine(action.command) + ":\n" + action.chars;
}

// Whether a diff may look like another one in an editor. Ends of lines are the editor's to show.
bool HasUnseen(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return ExactText(text) != text;
}

Scope ScopeOf(const WriteAction& action) { return action.runs_code ? Scope() : Scope{"write"}; }
Scope ScopeOf(const DeleteAction& action) {
  return action.runs_code ? Scope() : Scope{"delete", action.path};
}
Scope ScopeOf(const ShellAction& action) {
  if (action.in_background) return {};
  return {"shell", action.working_directory, action.command};
}
Scope ScopeOf(const ShellInputAction& /*action*/) { return {}; }

// A server may change what a tool is under the same name: another tool, of which nobody has
// said yes.
Scope ScopeOf(const cursorwire::mcp::ServerCall& call) {
  if (!call.resource.empty()) return {"resource", call.server, call.resource};
  Scope scope = {"tool", call.server, call.tool, call.description, call.input_schema};
  scope.insert(scope.end(), call.hints.begin(), call.hints.end());
  return scope;
}

constexpr char kHasChanged[] = "The server has changed this tool since you were asked about it.";
// What a server says of its tool; nullopt: nothing, or more than can be shown.
std::optional<Json> WordsOf(const cursorwire::mcp::ServerCall& call) {
  std::string words = call.description;
  for (const std::string& hint : call.hints) words += "\n(" + hint + ")";
  if (words.empty()) return std::nullopt;
  return WholeTextItem("The server says of this tool:\n" + words);
}

int64_t LinesIn(const std::string& text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

// One question of the agent as a property of a form. Source: schema of version 1, elicitation.
Json PropertyOf(const cursorwire::AskQuestionQuery::Question& question) {
  Json choices = Json::array();
  for (const auto& option : question.options) {
    choices.push_back({{"const", option.id}, {"title", option.label}});
  }
  if (question.options.empty()) return {{"type", "string"}, {"title", question.prompt}};
  if (!question.allow_multiple) {
    return {{"type", "string"}, {"title", question.prompt}, {"oneOf", std::move(choices)}};
  }
  return {
      {"type", "array"}, {"title", question.prompt}, {"items", {{"anyOf", std::move(choices)}}}};
}

cursorwire::QuestionAnswers::Answer AnswerTo(const cursorwire::AskQuestionQuery::Question& question,
                                             const Json& value) {
  cursorwire::QuestionAnswers::Answer answer{.question_id = question.id};
  const auto is_offered = [&question](const Json& id) {
    return std::any_of(question.options.begin(), question.options.end(),
                       [&id](const auto& option) { return id == option.id; });
  };
  const Json values = value.is_array() ? value : Json::array({value});
  for (const Json& one : values) {
    if (!one.is_string()) continue;
    if (is_offered(one)) {
      answer.option_ids.push_back(one.get<std::string>());
    } else {
      answer.text = one.get<std::string>();
    }
  }
  return answer;
}

// Keeps the start of what a command prints while it runs.
class ShownOutput final : public cursorwire::ShellSink {
 public:
  explicit ShownOutput(cursorwire::ShellSink& next) : next_(next) {}

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
                       .variables = options.variables});
  if (!local.ok()) return local.status();
  std::shared_ptr<ActionHandler> handler(
      new ActionHandler(std::move(**local), editor, std::move(options)));
  *self = handler.get();
  return handler;
}

ActionHandler::ActionHandler(LocalExecHandler&& local, Editor& editor, Options options)
    : LocalExecHandler(std::move(local)),
      editor_(editor),
      options_(std::move(options)),
      permissions_(editor, options_.session_id, options_.max_question_time) {}

void ActionHandler::SetTurn(std::shared_ptr<Turn> turn) {
  const std::lock_guard lock(mutex_);
  turn_ = std::move(turn);
}

void ActionHandler::SetMode(AgentMode mode) {
  const std::lock_guard lock(mutex_);
  mode_ = mode;
}

std::shared_ptr<Turn> ActionHandler::turn() const {
  const std::lock_guard lock(mutex_);
  return turn_;
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
  absl::Status answer = permissions_.Ask(std::move(tool_call), scope, context.stop);
  return answer.ok() ? cursor_apps::CheckMode(mode()) : answer;
}

absl::Status ActionHandler::Decide(const LocalAction& action, Json members, const std::string& text,
                                   const Scope& scope, const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (absl::Status status = cursor_apps::CheckMode(mode()); !status.ok()) return status;
  absl::Status allowed = cursor_apps::CheckAllowed(options_.allow, action);
  if (allowed.ok()) {
    if (UsesTerminal(action)) return allowed;  // ShellInEditor() shows what it runs
    KeepOwnCall(ShowAllowed(*turn, std::move(members), text, context));
    return allowed;
  }
  if (!options_.allow.ask) return allowed;
  std::optional<Json> content = WholeTextItem(text);
  if (!content) return TooLargeToShow();
  members["content"] = Json::array({*std::move(content)});
  const auto* deletes = std::get_if<DeleteAction>(&action);
  if (deletes != nullptr && deletes->runs_code) members["content"].push_back(TextItem(kRunsCode));
  const Turn::Action counted(*turn);
  const ShownAction shown = Show(*turn, members, context);
  members["toolCallId"] = shown.call_id;
  absl::Status answer = AskInMode(std::move(members), scope, context);
  if (!shown.is_own) return answer;
  if (answer.ok() && !UsesTerminal(action)) {
    KeepOwnCall(shown.call_id);
  } else {
    turn->updates().EndOwnCall(shown.call_id, answer.ok());
  }
  return answer;
}

std::string ActionHandler::ShowAllowed(Turn& turn, Json members, const std::string& text,
                                       const ActionContext& context) {
  const Turn::Action counted(turn);
  if (!turn.calls().AwaitShown(context.call_id, context.stop).empty()) return "";
  members["content"] = Json::array({TextItem(text)});
  return turn.updates().ShowOwnCall(std::move(members));
}

void ActionHandler::KeepOwnCall(std::string call_id) {
  if (call_id.empty()) return;
  const std::lock_guard lock(mutex_);
  own_calls_[std::this_thread::get_id()] = std::move(call_id);
}

absl::Status ActionHandler::DecideLocal(const LocalAction& action, const ActionContext& context) {
  return std::visit(
      [&](const auto& what) {
        return Decide(action, MembersOf(what), WordsOf(what), ScopeOf(what), context);
      },
      action);
}

std::string ActionHandler::EditorPath(const std::string& path) const {
  return options_.folder + path.substr(folder().size());
}

absl::StatusOr<std::string> ActionHandler::ReadInEditor(const std::string& path,
                                                        const ActionContext& context) {
  const absl::StatusOr<Json> answer = editor_.Call(
      "fs/read_text_file", {{"sessionId", options_.session_id}, {"path", EditorPath(path)}},
      kMaxEditorTime, context.stop);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> text = RequireText(*answer, "content");
  if (text.ok() && text->empty()) return absl::NotFoundError("the editor has no text of it");
  return text;
}

absl::Status ActionHandler::WriteInEditor(const std::string& path, const std::string& content,
                                          const ActionContext& context) {
  return editor_
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
  return is_question ? WholeTextItem(WordsOf(action)) : TextItem(action.diff);
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
  Json members = MembersOf(action);
  members["content"] = Json::array({*std::move(change)});
  if (action.runs_code) members["content"].push_back(TextItem(kRunsCode));
  if (!allowed.ok() && HasUnseen(action.diff)) {
    std::optional<Json> exact = WholeTextItem(WordsOf(action));
    if (!exact) return TooLargeToShow();
    members["content"].push_back(*std::move(exact));
  }
  writing.shown = Show(*turn, members, context);
  if (!allowed.ok()) {
    members["toolCallId"] = writing.shown.call_id;
    absl::Status answer = AskInMode(std::move(members), ScopeOf(action), context);
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

bool ActionHandler::UsesTerminal(const LocalAction& action) const {
  const auto* shell = std::get_if<ShellAction>(&action);
  return shell != nullptr && !shell->in_background && options_.abilities.terminal;
}

bool ActionHandler::UsesTerminal(const cursorwire::ShellArgs& args) const {
  return options_.abilities.terminal && !args.in_background && !folder().empty();
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
          Json members = MembersOf(*shell);
          members["content"] = Json::array({TerminalItem(terminal)});
          shown = Show(*turn, std::move(members), same);
        };
        in_editor =
            RunInTerminal(editor_, options_.session_id, {environment.shell, options_.variables},
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
    turn->updates().EndOwnCall(ShowAllowed(*turn, MembersOf(call), WhatOf(call), context), true);
    return absl::OkStatus();
  }
  if (!options_.allow.ask) return Refusal("the user does not allow tools of servers");
  std::optional<Json> content = WholeTextItem(WhatOf(call));
  if (!content) return TooLargeToShow();
  const Turn::Action counted(*turn);
  const Scope scope = ScopeOf(call);
  const bool changed = call.resource.empty() && HasChanged(scope);
  Json members = MembersOf(call, changed ? "(changed) " : "");
  members["content"] = Json::array({*std::move(content)});
  if (changed) members["content"].push_back(TextItem(kHasChanged));
  if (std::optional<Json> words = WordsOf(call)) members["content"].push_back(*std::move(words));
  const ShownAction shown = Show(*turn, members, context);
  members["toolCallId"] = shown.call_id;
  absl::Status answer = AskInMode(std::move(members), scope, context);
  if (shown.is_own) turn->updates().EndOwnCall(shown.call_id, answer.ok());
  return answer;
}

absl::Status ActionHandler::AskAbout(Json members, const std::string& text,
                                     const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (!options_.allow.ask) return Refusal("the user does not want to be asked; do without it");
  std::optional<Json> content = WholeTextItem(text);
  if (!content) return TooLargeToShow();
  members["content"] = Json::array({*std::move(content)});
  const Turn::Action counted(*turn);
  const std::string id = turn->updates().ShowOwnCall(members);
  members["toolCallId"] = id;
  absl::Status answer = permissions_.Ask(std::move(members), {}, context.stop);
  turn->updates().EndOwnCall(id, answer.ok());
  return answer;
}

absl::Status ActionHandler::WebSearch(const cursorwire::WebSearchQuery& query,
                                      const ActionContext& context) {
  const std::string title = QuestionTitle("search the web: " + query.search_term);
  return AskAbout({{"title", title}, {"kind", "fetch"}}, query.search_term, context);
}

absl::Status ActionHandler::WebFetch(const cursorwire::WebFetchQuery& query,
                                     const ActionContext& context) {
  return AskAbout({{"title", QuestionTitle("read " + query.url)}, {"kind", "fetch"}}, query.url,
                  context);
}

absl::Status ActionHandler::SwitchMode(const cursorwire::SwitchModeQuery& query,
                                       const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  const Turn::Action counted(*turn);  // the turn waits for the switch, too
  absl::Status answer =
      AskAbout({{"title", QuestionTitle("go on in " + query.target_mode + " mode")},
                {"kind", "switch_mode"}},
               query.explanation, context);
  if (!answer.ok()) return answer;
  if (options_.switch_mode && options_.switch_mode(query.target_mode)) return absl::OkStatus();
  return absl::InvalidArgumentError("there is no such mode here");
}

absl::StatusOr<cursorwire::PlanAccepted> ActionHandler::CreatePlan(
    const cursorwire::CreatePlanQuery& query, const ActionContext& context) {
  std::string plan = query.plan;
  for (const std::string& todo : query.todos) plan += "\n- [ ] " + todo;
  absl::Status answer =
      AskAbout({{"title", QuestionTitle("plan: " + query.name)}, {"kind", "think"}}, plan, context);
  if (!answer.ok()) return answer;
  return cursorwire::PlanAccepted{};
}

absl::StatusOr<cursorwire::QuestionAnswers> ActionHandler::AskQuestion(
    const cursorwire::AskQuestionQuery& query, const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (!options_.abilities.forms || !options_.allow.ask) {
    return Refusal("the user cannot be asked so; ask in your answer, and end your turn");
  }
  const Turn::Action counted(*turn);
  Json properties = Json::object();
  for (const auto& question : query.questions) properties[question.id] = PropertyOf(question);
  const absl::StatusOr<Json> answer = editor_.Call(
      "elicitation/create",
      {{"sessionId", options_.session_id},
       {"message", query.title.empty() ? "The agent has questions" : query.title},
       {"mode", "form"},
       {"requestedSchema", {{"type", "object"}, {"properties", std::move(properties)}}}},
      options_.max_question_time, context.stop);
  if (!answer.ok()) return answer.status();
  if (TextOf(*answer, "action") != "accept") return Refusal("the user does not answer this");
  const Json& content = MemberOf(*answer, "content");
  cursorwire::QuestionAnswers answers;
  for (const auto& question : query.questions) {
    answers.answers.push_back(AnswerTo(question, MemberOf(content, question.id.c_str())));
  }
  return answers;
}

}  // namespace cursor_chat::acp
