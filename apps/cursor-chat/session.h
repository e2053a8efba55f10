#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SESSION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/conversation.h>
#include <cursorwire/session_file.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "options.h"

namespace cursor_chat {

// The conversation that the options name, with the file that keeps it; or a new one without a file.
class Session {
 public:
  // Takes the file, so that no other process goes on with it meanwhile. Before anything is sent.
  static absl::StatusOr<Session> Open(const Options& options);

  // Reads the file. Call it before the functions below. `client` must outlive the session.
  absl::Status Load(const cursorwire::Client& client);
  cursorwire::Conversation& conversation() { return *conversation_; }
  // The model to ask: the one of the options, else that of the last turn.
  std::string model(const Options& options) const;
  // Writes the file if a turn was completed.
  absl::Status Save();

 private:
  explicit Session(std::optional<cursorwire::SessionFile> file) : file_(std::move(file)) {}

  std::optional<cursorwire::SessionFile> file_;
  std::optional<cursorwire::Conversation> conversation_;
  size_t turns_ = 0;  // in the file
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SESSION_H_
