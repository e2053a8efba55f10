#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_IMAGES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_IMAGES_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace cursor_chat {

// Reads the bytes of these files.
//   kInvalidArgument  a file cannot be read, is too large, or is not an image
absl::StatusOr<std::vector<std::string>> ReadImages(const std::vector<std::string>& files);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_IMAGES_H_
