#include "acp/session.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>

#include "acp/errors.h"
#include "acp/tool_call.h"
#include "acp/turn_feed.h"
#include "common/code_files.h"
#include "common/mcp_news.h"
#include "common/unasked_question.h"

namespace cursor_acp {
namespace {

using cursorwire::mcp::ServerReport;

constexpr char kUndoCommand[] = "/undo";

int64_t NowMilliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Json TextBlock(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json StopReason(const char* reason) { return {{"stopReason", reason}}; }

// The thread of a turn must not end with its prompt on it.
bool IsCommand(const PromptContent& content, std::string_view command) {
  const size_t end = content.text.find_last_not_of(" \t\r\n");
  return content.images.empty() && end != std::string::npos &&
         std::string_view(content.text).substr(0, end + 1) == command;
}

// None as long as nothing is known.
std::vector<cursorwire::Model> ModelsIn(const cursorwire::ModelCache::List& list) {
  return list == nullptr ? std::vector<cursorwire::Model>() : list->models;
}

// How a turn of the history has ended, for the user; nullptr: it was completed.
const char* EndingText(cursorwire::TurnEnding ending) {
  switch (ending) {
    case cursorwire::TurnEnding::kCompleted:
      return nullptr;
    case cursorwire::TurnEnding::kCancelled:
      return "This turn was stopped.";
    case cursorwire::TurnEnding::kInterrupted:
      return "The connection was lost in this turn.";
    case cursorwire::TurnEnding::kFailed:
      return "This turn failed.";
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Session>> Session::Open(
    const SessionSurroundings& around, const Abilities& abilities, SessionRecord record,
    std::vector<cursorwire::mcp::ServerConfig> servers, Start start) {
  const AgentParts& parts = around.parts;
  const std::string folder = record.folder;
  std::vector<std::string> code_files = parts.code_files;
  if (absl::Status status = cursor_apps::AddCodeFiles(servers, code_files); !status.ok()) {
    return status;
  }
  std::shared_ptr<Session> session(new Session(around, abilities, std::move(record)));
  auto handler = ActionHandler::Create(
      around.editor, {.session_id = session->id_,
                      .folder = folder,
                      .abilities = abilities,
                      .allow = parts.allow,
                      .sandbox = parts.sandbox,
                      .variables = parts.variables,
                      .code_files = std::move(code_files),
                      .max_question_time = parts.max_question_time,
                      .switch_mode = [weak = std::weak_ptr(session)](const std::string& mode) {
                        const std::shared_ptr<Session> self = weak.lock();
                        return self != nullptr && self->SetMode(mode).ok();
                      }});
  if (!handler.ok()) return handler.status();
  if (start == Start::kNew) session->record_.updated_ms = NowMilliseconds();
  session->handler_ = *std::move(handler);
  session->handler_->SetMode(session->record_.choices.mode);
  absl::StatusOr<cursorwire::Client> client = parts.connect(session->handler_, session->handler_);
  if (!client.ok()) return client.status();
  session->client_ = std::make_shared<cursorwire::Client>(*std::move(client));
  if (absl::Status opened = session->OpenConversation(start); !opened.ok()) return opened;
  if (absl::Status kept = session->WriteRecord(); !kept.ok()) return kept;
  if (!servers.empty()) {
    session->servers_ = std::make_unique<cursorwire::mcp::Servers>(std::move(servers));
  }
  session->turns_.emplace();
  return session;
}

Session::Session(const SessionSurroundings& around, const Abilities& abilities,
                 SessionRecord record)
    : around_(around),
      abilities_(abilities),
      id_(record.id),
      id_prefix_("t" + around.folder.NewId().substr(0, 8) + "-"),
      record_(std::move(record)) {}

Session::~Session() { End(); }

void Session::End() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  Cancel();
  turns_.reset();
  {
    const std::lock_guard writing(writing_mutex_);
    writes_ = false;
  }
  if (handler_ != nullptr) handler_->KillCommands();
  if (servers_ != nullptr) servers_->Stop();
  conversation_.reset();
  client_.reset();  // waits for what the handler still does
  file_.reset();
}

absl::Status Session::OpenConversation(Start start) {
  using cursorwire::SessionFile;
  const std::string path = around_.folder.ConversationPath(id_);
  absl::StatusOr<SessionFile> file = SessionFile::Open(
      path, start == Start::kNew ? SessionFile::Missing::kMake : SessionFile::Missing::kRefuse);
  if (!file.ok()) return file.status();
  // Also a question that was stopped before anything came: people go on with "try again".
  auto conversation =
      file->Load(*client_, {.unfinished_turns = cursorwire::UnfinishedTurns::kKeepAsked});
  if (absl::IsDataLoss(conversation.status())) {
    return absl::NotFoundError("the session cannot be read: " +
                               std::string(conversation.status().message()));
  }
  if (!conversation.ok()) return conversation.status();
  file_ = *std::move(file);
  conversation_ = *std::move(conversation);
  kept_turns_ = conversation_->history().size();
  // From now on it is there, also without a prompt: editors load the last session when they start.
  return start == Start::kNew ? file_->Save(*conversation_) : absl::OkStatus();
}

SessionRecord Session::record() {
  const std::lock_guard lock(mutex_);
  return record_;
}

absl::Status Session::WriteRecord() {
  const std::lock_guard writing(writing_mutex_);
  if (!writes_) return absl::NotFoundError("the session is closed");
  return around_.folder.Write(record());
}

cursorwire::ModelCache::Lister Session::ModelLister() const {
  return [client = client_] { return client->ListModels(); };
}

Json Session::Describe() {
  (void)around_.models.Get(ModelLister());  // without an answer, what was known before counts
  const std::vector<cursorwire::Model> models = ModelsIn(around_.models.known());
  const Choices choices = record().choices;
  return {{"modes", DescribeModes(choices)}, {"configOptions", DescribeOptions(choices, models)}};
}

void Session::Tell(Json update) {
  around_.editor.Notify("session/update", {{"sessionId", id_}, {"update", std::move(update)}})
      .IgnoreError();  // an editor that is gone ends everything elsewhere
}

void Session::Replay() {
  size_t number = 0;
  const auto chunk = [&](const char* kind, Json block) {
    Tell({{"sessionUpdate", kind},
          {"content", std::move(block)},
          {"messageId", id_prefix_ + "h" + std::to_string(number)}});
  };
  // Without an id for each, editors join messages of several turns.
  const auto message = [&](const char* kind, const std::string& text) {
    ++number;
    chunk(kind, TextBlock(Shortened(text, kMaxShownToolBytes * 2)));
  };
  for (const cursorwire::HistoryTurn& turn : conversation_->history()) {
    ++number;
    for (Json& block : ShownPromptBlocks(turn.prompt, turn.images)) {
      if (block.contains("text")) {
        block = TextBlock(Shortened(TextOf(block, "text"), kMaxShownToolBytes * 2));
      }
      chunk("user_message_chunk", std::move(block));
    }
    for (const cursorwire::HistoryItem& item : turn.items) {
      if (const auto* text = std::get_if<cursorwire::HistoryText>(&item)) {
        message("agent_message_chunk", text->text);
      } else {
        const std::string id = id_prefix_ + "h" + std::to_string(++number);
        Json call = ToolCallOfHistory(std::get<cursorwire::HistoryToolCall>(item), id);
        call["sessionUpdate"] = "tool_call";
        Tell(std::move(call));
      }
    }
    const char* ending = EndingText(turn.ending);
    if (ending != nullptr) message("agent_thought_chunk", ending);
  }
}

void Session::AnnounceCommands() {
  Tell({{"sessionUpdate", "available_commands_update"},
        {"availableCommands",
         Json::array({{{"name", "undo"},
                       {"description", "Take the last turn out of the conversation"}}})}});
}

absl::Status Session::Prompt(const std::string& id_json, PromptContent content) {
  auto waiting = std::make_shared<Waiting>(Waiting{id_json, std::move(content)});
  const std::lock_guard lock(mutex_);
  if (ended_) return absl::NotFoundError("the session is closed");
  if (waiting_.size() >= kMaxWaitingPrompts) {
    return absl::ResourceExhaustedError("too many prompts of this session wait");
  }
  // Its task needs mutex_ first.
  absl::Status added = turns_->Add([this, waiting] { Answer(waiting); });
  if (added.ok()) waiting_.push_back(waiting);
  return added;
}

void Session::Cancel() {
  const std::lock_guard lock(mutex_);
  for (const auto& waiting : waiting_) waiting->cancelled = true;
  if (turn_ != nullptr) turn_->Cancel();
}

bool Session::CancelPrompt(const std::string& id_json) {
  std::unique_lock lock(mutex_);
  // The id of one that was answered may be in use again.
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&id_json](const std::shared_ptr<Waiting>& waiting) {
                                    return waiting->id_json == id_json && !waiting->answered;
                                  });
  if (found == waiting_.end()) return false;
  Waiting& waiting = **found;
  waiting.cancelled = true;
  if (found == waiting_.begin()) {
    if (turn_ != nullptr) turn_->Cancel();
    return true;
  }
  // Not only when its turn comes, which may be long after. Until then it counts as one that waits.
  waiting.answered = true;
  waiting.content = {};
  lock.unlock();
  around_.editor.Respond(id_json, StopReason("cancelled"));
  return true;
}

// nullptr: it was taken back before.
std::shared_ptr<Turn> Session::Begin(const Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  if (waiting.answered) return nullptr;
  turn_ = std::make_shared<Turn>(
      around_.editor,
      TurnUpdates::Options{.session_id = id_,
                           .folder = record_.folder,
                           .id_prefix = id_prefix_ + std::to_string(++turns_begun_) + "-",
                           .notices = abilities_.notices});
  if (waiting.cancelled) turn_->Cancel();
  return turn_;
}

void Session::Answer(const std::shared_ptr<Waiting>& waiting) {
  absl::Status status;
  if (const std::shared_ptr<Turn> turn = Begin(*waiting)) {
    handler_->SetTurn(turn);
    status = Play(waiting->content, *turn);
    handler_->SetTurn(nullptr);
    turn->calls().End();
    turn->AwaitActions(kActionEndTime);
    Keep(waiting->content, *turn);
    turn->updates().End();
  }
  bool cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    cancelled = waiting->cancelled;
    waiting_.pop_front();
    turn_ = nullptr;
    last_used_ = std::chrono::steady_clock::now();
  }
  if (waiting->answered) return;  // by CancelPrompt()
  if (cancelled) {
    around_.editor.Respond(waiting->id_json, StopReason("cancelled"));
  } else if (status.ok()) {
    around_.editor.Respond(waiting->id_json, StopReason("end_turn"));
  } else {
    around_.editor.Respond(waiting->id_json, TurnError(status));
    around_.parts.log("a turn failed: " + std::string(status.message()));
  }
}

absl::Status Session::Play(PromptContent content, Turn& turn) {
  absl::StatusOr<cursorwire::ChatRequest> request = absl::CancelledError("cancelled");
  const bool is_late = turn.stop().stop_requested();  // it was cancelled while it waited
  if (IsCommand(content, kUndoCommand)) return is_late ? request.status() : Undo(turn);
  const std::string prompt = content.text;
  const size_t images = content.images.size();
  const std::vector<cursorwire::AttachedFile> files = std::move(content.files);
  if (!is_late) request = RequestFor(std::move(content), turn);
  absl::Status status = request.status();
  if (turn.stop().stop_requested()) status = absl::CancelledError("cancelled");
  if (!status.ok()) {
    cursor_apps::KeepUnasked(*conversation_, prompt, images, status);
    return status;
  }
  for (const cursorwire::AttachedFile& file : files) handler_->OnAttached(file);
  const auto feed = std::make_shared<TurnFeed>(turn.calls());
  const cursorwire::ChatCall call = conversation_->Chat(*request, feed);
  const std::stop_callback cancels(turn.stop(), [&call] { call.Cancel(); });
  for (;;) {
    const TurnFeed::Item item = feed->Next();
    if (const auto* end = std::get_if<absl::Status>(&item)) return *end;
    turn.updates().OnEvent(std::get<cursorwire::ChatEvent>(item));
  }
}

absl::Status Session::Undo(Turn& turn) {
  std::vector<cursorwire::HistoryTurn> history = conversation_->history();
  std::string said = "There is no turn to take back.";
  if (!history.empty()) {
    said = "Took back: " + QuestionTitle(history.back().prompt) +
           "\n\nIt is no longer part of the conversation. Files stay as they are.";
    history.pop_back();
    absl::Status changed = conversation_->SetHistory(std::move(history));
    if (!changed.ok()) return changed;
  }
  turn.updates().OnEvent(cursorwire::TextDelta{said});
  return absl::OkStatus();
}

absl::StatusOr<cursorwire::ChatRequest> Session::RequestFor(PromptContent content, Turn& turn) {
  const SessionRecord record = this->record();
  around_.models.Get(ModelLister(), [](const auto&) {});  // for the options that editors show
  absl::StatusOr<cursorwire::ChatRequest> request = around_.parts.make_request(
      {.folder = record.folder, .choices = record.choices, .models = [&] {
         (void)around_.models.Require(ModelLister(), turn.stop());
         return ModelsIn(around_.models.known());
       }});
  if (!request.ok()) return request.status();
  request->prompt = std::move(content.text);
  request->images = std::move(content.images);
  if (servers_ != nullptr) {
    servers_->WaitUntilSettled(turn.stop());
    servers_->TryAgain(turn.stop(),
                       std::chrono::steady_clock::now() + cursor_apps::kServersTryTime);
    ReportServers(turn);
    servers_->AddTools(request->tools, handler_->CallPolicyOfServers());
  }
  return request;
}

void Session::ReportServers(Turn& turn) {
  for (const ServerReport& report : servers_->reports()) {
    for (const std::string& line : news_of_servers_.Next(report)) {
      around_.parts.log(line);
      // A user who is not told looks for the tools in vain.
      turn.updates().OnEvent(cursorwire::ServerNotice{line});
    }
  }
}

void Session::Keep(const PromptContent& content, Turn& turn) {
  const size_t turns = conversation_->history().size();
  if (turns == kept_turns_) return;
  kept_turns_ = turns;
  absl::Status kept = file_->Save(*conversation_);
  SessionRecord record;
  {
    const std::lock_guard lock(mutex_);
    if (record_.title.empty()) record_.title = content.title;
    record_.updated_ms = NowMilliseconds();
    record = record_;
  }
  if (kept.ok()) kept = WriteRecord();
  if (!kept.ok()) {
    around_.parts.log("the session is not kept: " + std::string(kept.message()));
  }
  turn.updates().Send({{"sessionUpdate", "session_info_update"},
                       {"title", record.title},
                       {"updatedAt", UpdatedAt(record)}});
}

absl::Status Session::SetMode(const std::string& mode) {
  const std::optional<cursorwire::AgentMode> named = ModeNamed(mode);
  if (!named) {
    return absl::InvalidArgumentError("modeId is none of agent, plan, ask and debug");
  }
  Choices choices = record().choices;
  choices.mode = *named;
  if (absl::Status changed = ChangeChoices(choices); !changed.ok()) return changed;
  Tell({{"sessionUpdate", "config_option_update"},
        {"configOptions", DescribeOptions(choices, ModelsIn(around_.models.known()))}});
  return absl::OkStatus();
}

absl::StatusOr<Json> Session::SetConfigOption(const std::string& config_id,
                                              const std::string& value) {
  const std::vector<cursorwire::Model> models = ModelsIn(around_.models.known());
  Choices choices = record().choices;
  if (absl::Status set = SetOption(config_id, value, models, choices); !set.ok()) return set;
  if (absl::Status changed = ChangeChoices(choices); !changed.ok()) return changed;
  return DescribeOptions(choices, models);
}

absl::Status Session::ChangeChoices(const Choices& choices) {
  bool other_mode = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return absl::NotFoundError("the session is closed");
    other_mode = record_.choices.mode != choices.mode;
    record_.choices = choices;
  }
  handler_->SetMode(choices.mode);
  if (absl::Status kept = WriteRecord(); !kept.ok()) {
    around_.parts.log("the session is not kept: " + std::string(kept.message()));
  }
  if (!other_mode) return absl::OkStatus();
  Tell({{"sessionUpdate", "current_mode_update"},
        {"currentModeId", std::string(NameOf(choices.mode))}});
  return absl::OkStatus();
}

std::optional<std::chrono::steady_clock::time_point> Session::idle_since() {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) return std::nullopt;
  return last_used_;
}

void Session::Kill() {
  handler_->KillCommands();
  if (servers_ != nullptr) servers_->Kill();
}

}  // namespace cursor_acp
