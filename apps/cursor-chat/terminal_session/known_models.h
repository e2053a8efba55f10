#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_KNOWN_MODELS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_KNOWN_MODELS_H_

#include <absl/status/statusor.h>
#include <cursorwire/client.h>

#include <optional>
#include <string>
#include <vector>

#include "terminal_session/turn_stop.h"

namespace cursor_chat {

// The models of the service, asked for once. Thread-compatible.
class KnownModels {
 public:
  // Both must outlive it.
  KnownModels(const cursorwire::Client& client, TurnStop& stop) : client_(client), stop_(stop) {}

  // Blocks for the first call, which asks the service; again after an error.
  //   kCancelled  Ctrl-C ended the wait
  absl::StatusOr<const cursorwire::ModelList*> Get();

  // For Tab: without an answer of the service there is nothing to choose from.
  std::vector<std::string> Ids();
  std::vector<std::string> EffortsOf(const std::string& model);

 private:
  const cursorwire::Client& client_;
  TurnStop& stop_;
  std::optional<cursorwire::ModelList> list_;
};

// The efforts of the model that an id of the list means; empty if it is not in the list.
std::vector<std::string> FindEfforts(const cursorwire::ModelList& list, const std::string& id);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_KNOWN_MODELS_H_
