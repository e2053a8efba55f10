#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SESSION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/conversation.h>
#include <cursorwire/session_file.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "options.h"

namespace cursor_chat {

// The error where neither HOME nor XDG_STATE_HOME says where conversations are kept.
absl::Status NoSessionFolder();

// The conversation that the options name, with the file that keeps it; or a new one without a file.
class Session {
 public:
  // Takes the file, so that no other process goes on with it meanwhile. Before anything is sent.
  static absl::StatusOr<Session> Open(const Options& options);

  // Reads the file. Call it before the functions below. `client` must outlive the session.
  // `unfinished_turns` also holds for the conversations that follow.
  absl::Status Load(const cursorwire::Client& client, cursorwire::UnfinishedTurns unfinished_turns);
  cursorwire::Conversation& conversation() { return *conversation_; }
  // The model to ask: the one of the options, else that of the last turn.
  std::string model(const Options& options) const;
  // Writes the file if a turn was completed, or something came of one that was not.
  absl::Status Save();

  // What a terminal session does beside turns. No turn may be under way.

  // The file that keeps the conversation; "": it is not kept.
  std::string path() const { return file_ ? path_ : ""; }
  // Another conversation, without a file.
  void BeginAnew(const cursorwire::Client& client);
  // Goes on with the conversation in a file. On an error, everything is as before.
  absl::Status Resume(const cursorwire::Client& client, const std::string& path);
  // Keeps the conversation in this file, now and after each turn.
  //   kAlreadyExists  the file holds another conversation
  absl::Status KeepIn(const std::string& path);
  // Takes the last turn back, also in the file.
  //   kFailedPrecondition  there is no turn
  absl::Status TakeBackLastTurn();

 private:
  Session(std::optional<cursorwire::SessionFile> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  absl::Status Write();

  std::optional<cursorwire::SessionFile> file_;
  std::string path_;  // of the file
  std::optional<cursorwire::Conversation> conversation_;
  cursorwire::ConversationOptions options_;
  size_t turns_ = 0;  // in the file
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SESSION_H_
