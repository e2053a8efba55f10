#ifndef CURSORWIRE_SRC_CLIENT_TURN_SHOWN_CALLS_H_
#define CURSORWIRE_SRC_CLIENT_TURN_SHOWN_CALLS_H_

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <string>

#include "cursorwire/chat.h"

namespace cursorwire {

// Which tool calls the attempts of a turn have shown: an attempt that goes on from a checkpoint may
// show one again, and a user is to see it once. Within an attempt, all is shown. Calls
// without an id always are. A value.
class ShownCalls {
 public:
  // Whether an earlier attempt has shown this start or this end of a call.
  bool WasShown(const ChatEvent& event);
  // Another attempt begins.
  void OnRestart() {
    earlier_.merge(current_);
    current_.clear();
  }

 private:
  static constexpr size_t kMaxCalls = 8192;
  static constexpr size_t kMaxKeyBytes = 512;  // a longer id is no id

  absl::flat_hash_set<std::string> earlier_;
  absl::flat_hash_set<std::string> current_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_SHOWN_CALLS_H_
