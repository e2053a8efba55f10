#include "session.h"

#include <string>
#include <utility>
#include <vector>

namespace cursor_chat {
namespace {

using cursorwire::SessionFile;

absl::StatusOr<std::string> NewestSession() {
  const std::string folder = cursorwire::DefaultSessionFolder();
  if (folder.empty()) return NoSessionFolder();
  const absl::StatusOr<std::vector<cursorwire::SessionInfo>> sessions =
      cursorwire::ListSessions(folder);
  if (sessions.ok() && !sessions->empty()) return sessions->front().path;
  return absl::NotFoundError("there is no conversation in " + folder +
                             ": begin one with --save, or name a file with --session");
}

// Empty: no file keeps the conversation.
absl::StatusOr<std::string> PathOf(const Options& options) {
  if (options.continue_session) return NewestSession();
  if (options.save_session) return cursorwire::NewSessionPath();
  return options.session_file;
}

}  // namespace

absl::Status NoSessionFolder() {
  return absl::NotFoundError("there is no folder for conversations: set HOME or XDG_STATE_HOME");
}

absl::StatusOr<Session> Session::Open(const Options& options) {
  const absl::StatusOr<std::string> path = PathOf(options);
  if (!path.ok()) return path.status();
  if (path->empty()) return Session(std::nullopt, "");
  absl::StatusOr<SessionFile> file = SessionFile::Open(*path);
  if (!file.ok()) return file.status();
  return Session(*std::move(file), *path);
}

absl::Status Session::Load(const cursorwire::Client& client,
                           cursorwire::UnfinishedTurns unfinished_turns) {
  options_.unfinished_turns = unfinished_turns;
  if (!file_) {
    conversation_ = client.NewConversation(options_);
    return absl::OkStatus();
  }
  absl::StatusOr<cursorwire::Conversation> conversation = file_->Load(client, options_);
  if (!conversation.ok()) return conversation.status();
  conversation_ = *std::move(conversation);
  turns_ = conversation_->history().size();
  return absl::OkStatus();
}

std::string Session::model(const Options& options) const {
  if (options.has_model || conversation_->model().empty()) return options.model;
  return conversation_->model();
}

absl::Status Session::Save() {
  if (!file_ || conversation_->history().size() == turns_) return absl::OkStatus();
  return Write();
}

absl::Status Session::Write() {
  if (!file_) return absl::OkStatus();
  turns_ = conversation_->history().size();
  return file_->Save(*conversation_);
}

void Session::BeginAnew(const cursorwire::Client& client) {
  file_.reset();
  path_.clear();
  conversation_ = client.NewConversation(options_);
  turns_ = 0;
}

absl::Status Session::Resume(const cursorwire::Client& client, const std::string& path) {
  absl::StatusOr<SessionFile> file = SessionFile::Open(path, SessionFile::Missing::kRefuse);
  if (!file.ok()) return file.status();
  absl::StatusOr<cursorwire::Conversation> conversation = file->Load(client, options_);
  if (!conversation.ok()) return conversation.status();
  file_ = *std::move(file);
  path_ = path;
  conversation_ = *std::move(conversation);
  turns_ = conversation_->history().size();
  return absl::OkStatus();
}

absl::Status Session::KeepIn(const std::string& path) {
  absl::StatusOr<SessionFile> file = SessionFile::Open(path);
  if (!file.ok()) return file.status();
  if (!file->is_new()) {
    return absl::AlreadyExistsError(path + " holds another conversation: /resume goes on with it");
  }
  file_ = *std::move(file);
  path_ = path;
  return Write();
}

absl::Status Session::TakeBackLastTurn() {
  std::vector<cursorwire::HistoryTurn> turns = conversation_->history();
  if (turns.empty()) return absl::FailedPreconditionError("there is no turn to take back");
  turns.pop_back();
  if (absl::Status status = conversation_->SetHistory(std::move(turns)); !status.ok()) {
    return status;
  }
  return Write();
}

}  // namespace cursor_chat
