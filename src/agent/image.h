#ifndef CURSORWIRE_SRC_AGENT_IMAGE_H_
#define CURSORWIRE_SRC_AGENT_IMAGE_H_

#include <optional>
#include <string_view>

namespace cursorwire::agent {

// Source: docs/protocol.md, user message.
inline constexpr size_t kMaxImageBytes = size_t{5} * 1024 * 1024;

// The type of an image file, by the bytes that it starts with; nullopt: none of those that the
// service takes.
std::optional<std::string_view> ImageMimeType(std::string_view bytes);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_IMAGE_H_
