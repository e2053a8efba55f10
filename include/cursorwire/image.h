// Room: src/agent/tools
#ifndef CURSORWIRE_IMAGE_H_
#define CURSORWIRE_IMAGE_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "cursorwire/export.h"

namespace cursorwire {

// The largest image of a ChatRequest. Source: docs/protocol.md, user message.
inline constexpr size_t kMaxImageBytes = size_t{5} * 1024 * 1024;

// "image/jpeg", "image/png", "image/gif" or "image/webp", by the bytes that the file starts with;
// nullopt: none of them, and the service takes no other. A program that asks before it makes a
// ChatRequest can name the file. Thread-safe.
CURSORWIRE_EXPORT std::optional<std::string_view> ImageMimeType(std::string_view bytes);

}  // namespace cursorwire

#endif  // CURSORWIRE_IMAGE_H_
