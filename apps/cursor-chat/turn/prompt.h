#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_PROMPT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_PROMPT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cursor_chat {

// The words joined by spaces. Followed by standard input if "-" is one of the words, or if there
// are no words and standard input is not a terminal.
//   kInvalidArgument  the prompt is only white space; standard input cannot be read, exceeds
//                     32 MiB, is not UTF-8, or contains a zero byte
absl::StatusOr<std::string> ReadPrompt(const std::vector<std::string>& words);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_PROMPT_H_
