#ifndef CURSORWIRE_APPS_CURSOR_CHAT_PROMPT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_PROMPT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cursor_chat {

inline constexpr size_t kMaxTextBytes = size_t{32} * 1024 * 1024;

// The prompt of these words: joined by spaces, and followed by standard input if "-" is among them
// or if there are none and it is no terminal.
//   kInvalidArgument  nothing to ask but white space; standard input cannot be read, is over
//                     32 MiB, or has a zero byte
absl::StatusOr<std::string> ReadPrompt(const std::vector<std::string>& words);

// The whole of a file.
//   kInvalidArgument  it cannot be read, or it is larger than `max_bytes`
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxTextBytes);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_PROMPT_H_
