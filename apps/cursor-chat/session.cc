#include "session.h"

#include <string>
#include <vector>

namespace cursor_chat {
namespace {

using cursorwire::SessionFile;

absl::StatusOr<std::string> NewestSession() {
  const std::string folder = cursorwire::DefaultSessionFolder();
  const absl::StatusOr<std::vector<cursorwire::SessionInfo>> sessions =
      cursorwire::ListSessions(folder);
  if (sessions.ok() && !sessions->empty()) return sessions->front().path;
  return absl::NotFoundError("there is no conversation in " +
                             (folder.empty() ? "a folder of sessions" : folder) +
                             ": begin one with --save, or name a file with --session");
}

// Empty: no file keeps the conversation.
absl::StatusOr<std::string> PathOf(const Options& options) {
  if (options.continue_session) return NewestSession();
  if (options.save_session) return cursorwire::NewSessionPath();
  return options.session_file;
}

}  // namespace

absl::StatusOr<Session> Session::Open(const Options& options) {
  const absl::StatusOr<std::string> path = PathOf(options);
  if (!path.ok()) return path.status();
  if (path->empty()) return Session(std::nullopt);
  absl::StatusOr<SessionFile> file = SessionFile::Open(*path);
  if (!file.ok()) return file.status();
  return Session(*std::move(file));
}

absl::Status Session::Load(const cursorwire::Client& client) {
  if (!file_) {
    conversation_ = client.NewConversation();
    return absl::OkStatus();
  }
  absl::StatusOr<cursorwire::Conversation> conversation = file_->Load(client);
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
  return file_->Save(*conversation_);
}

}  // namespace cursor_chat
