#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SESSION_STATE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SESSION_STATE_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/client.h>
#include <cursorwire/session_file.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "output/output.h"
#include "session.h"
#include "terminal_session/known_models.h"
#include "terminal_session/session_usage.h"

namespace cursor_chat {

// What the commands of a session look at and change. Only for the thread of the session, except for
// `mode`. What it refers to must outlive it.
struct SessionState {
  Options options;  // of the next turn
  const cursorwire::Client& client;
  Output& output;
  Session& session;
  KnownModels& models;
  // The mode of the next turn, for the policy of actions, which other threads ask.
  std::atomic<cursorwire::AgentMode>& mode;
  // Tells of the user's plan, in lines. Empty: /usage tells of this session alone.
  std::function<absl::StatusOr<std::string>()> plan_usage{};
  std::vector<std::string> images{};                       // for the next turn
  std::vector<cursorwire::Attachment> attachments{};       // likewise
  std::vector<cursorwire::SessionInfo> listed_sessions{};  // what /resume has numbered
  SessionUsage usage{};
  bool leaves = false;  // /quit

  // Shows text of this program with names in it that may be anybody's. A newline is added if there
  // is none.
  void Say(std::string_view text) const;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SESSION_STATE_H_
