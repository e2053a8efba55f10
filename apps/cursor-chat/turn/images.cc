#include "turn/images.h"

#include <cursorwire/chat.h>

#include <utility>

#include "common/read_file.h"

namespace cursor_chat {
namespace {

absl::StatusOr<std::string> ReadImage(const std::string& file) {
  absl::StatusOr<std::string> image = cursor_apps::ReadFile(file, cursorwire::kMaxImageBytes);
  if (!image.ok()) return image.status();
  if (image->empty()) return absl::InvalidArgumentError(file + " is empty");
  if (cursorwire::ImageMimeType(*image)) return image;
  return absl::InvalidArgumentError(file + " is not a jpeg, png, gif or webp");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadImages(const std::vector<std::string>& files) {
  std::vector<std::string> images;
  for (const std::string& file : files) {
    absl::StatusOr<std::string> image = ReadImage(file);
    if (!image.ok()) return image.status();
    images.push_back(*std::move(image));
  }
  return images;
}

}  // namespace cursor_chat
