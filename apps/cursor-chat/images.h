#ifndef CURSORWIRE_APPS_CURSOR_CHAT_IMAGES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_IMAGES_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace cursor_chat {

// The bytes of these files.
//   kInvalidArgument  one cannot be read, is too large or no image
absl::StatusOr<std::vector<std::string>> ReadImages(const std::vector<std::string>& files);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_IMAGES_H_
