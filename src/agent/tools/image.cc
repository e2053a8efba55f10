#include "cursorwire/chat.h"

namespace cursorwire {

std::optional<std::string_view> ImageMimeType(std::string_view bytes) {
  using std::string_view_literals::operator""sv;
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return "image/png";
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif";
  // A RIFF container: four bytes of size stand between the two marks.
  if (bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP"sv) {
    return "image/webp";
  }
  return std::nullopt;
}

}  // namespace cursorwire
