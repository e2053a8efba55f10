#ifndef CURSORWIRE_EXAMPLES_CURSOR_CHAT_PROMPT_H_
#define CURSORWIRE_EXAMPLES_CURSOR_CHAT_PROMPT_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace cursor_chat {

// The prompt of these words: joined by spaces, and followed by standard input if "-" is among them
// or if there are none and it is no terminal.
//   kInvalidArgument  nothing to ask, standard input cannot be read or is over 32 MiB
absl::StatusOr<std::string> ReadPrompt(const std::vector<std::string>& words);

// The whole of a file of at most 32 MiB.
//   kInvalidArgument  it cannot be read, or it is larger
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace cursor_chat

#endif  // CURSORWIRE_EXAMPLES_CURSOR_CHAT_PROMPT_H_
